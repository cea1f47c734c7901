import { DowserError } from '../../model/errors.ts';
import { jsonFault } from './json-fault.ts';

/**
 * Parses JSON as editors keep it: with comments and with commas after the last item. Both are blanked out in place, so that
 * the position of a mistake is the one in the file. The error never repeats the text, which may hold a key.
 */
export function parseJsonWithComments(text: string, subject: string): unknown {
  const clean = withoutCommas(withoutComments(text.replace(/^\uFEFF/, '')));
  try {
    return JSON.parse(clean);
  } catch {
    throw new DowserError('MALFORMED_JSON', `${subject} is not JSON (${placeOfFault(clean)}).`, {
      hint: text.trim() === '' ? 'It is empty.' : 'Check quotes, commas and brackets there and just before.',
    });
  }
}

/** `line 3, column 5` */
function placeOfFault(text: string): string {
  const { column } = jsonFault(text) ?? { column: 1 };
  const before = Array.from(text)
    .slice(0, column - 1)
    .join('')
    .split('\n');
  return `line ${before.length}, column ${Array.from(before.at(-1) ?? '').length + 1}`;
}

const STRING_OR_COMMENT = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');

function withoutComments(text: string): string {
  return text.replaceAll(STRING_OR_COMMENT, (found) => (found.startsWith('"') ? found : blank(found)));
}

function withoutCommas(text: string): string {
  return text.replaceAll(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g, (found) => (found === ',' ? ' ' : found));
}
