import { DowserError } from '../../model/errors.ts';

/**
 * Parses JSON as editors keep it: with comments and with commas after the last item. Both are blanked out in place, so that
 * the position of a mistake is the one in the file. The error never repeats the text, which may hold a key.
 */
export function parseJsonWithComments(text: string, subject: string): unknown {
  const clean = withoutCommas(withoutComments(text.replace(/^\uFEFF/, '')));
  try {
    return JSON.parse(clean);
  } catch (cause) {
    const at = /position (\d+)/.exec((cause as Error).message)?.[1];
    const line = at === undefined ? undefined : clean.slice(0, Number(at)).split('\n').length;
    const place = line === undefined ? '' : ` (line ${line})`;
    throw new DowserError('MALFORMED_JSON', `${subject} is not JSON${place}.`, {
      hint: text.trim() === '' ? 'It is empty.' : 'Check quotes, commas and brackets there.',
    });
  }
}

const STRING_OR_COMMENT = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');

function withoutComments(text: string): string {
  return text.replaceAll(STRING_OR_COMMENT, (found) => (found.startsWith('"') ? found : blank(found)));
}

function withoutCommas(text: string): string {
  return text.replaceAll(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g, (found) => (found === ',' ? ' ' : found));
}
