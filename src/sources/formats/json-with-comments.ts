import { getNodeValue, parseTree, visit } from 'jsonc-parser';
import { DowserError } from '../../model/errors.ts';
import { MAX_JSON_DEPTH } from '../../model/json-fault.ts';

const OPTIONS = { allowTrailingComma: true };

/**
 * Parses JSON as editors keep it: with comments and with commas after the last item. The error never repeats the text,
 * which may hold a key.
 */
export function parseJsonWithComments(text: string, subject: string): unknown {
  const clean = text.replace(/^\uFEFF/, '');
  const refuse = (problem: string, line: number, column: number, hint: string): never => {
    const place = `line ${line + 1}, column ${column + 1}`;
    throw new DowserError('MALFORMED_JSON', `${subject} ${problem} (${place}).`, { hint });
  };
  let depth = 0;
  const enter = (_offset: number, _length: number, line: number, column: number) => {
    if (++depth > MAX_JSON_DEPTH)
      refuse(`nests deeper than ${MAX_JSON_DEPTH} levels`, line, column, 'Make it flatter.');
  };
  const leave = () => {
    depth--;
  };
  // The library goes on after an error, and recurses. Stop at the first error, and before the stack is full.
  visit(
    clean,
    {
      onObjectBegin: enter,
      onArrayBegin: enter,
      onObjectEnd: leave,
      onArrayEnd: leave,
      onError(_error, _offset, _length, line, column) {
        const hint = clean.trim() === '' ? 'It is empty.' : 'Check quotes, commas and brackets there and just before.';
        refuse('is not JSON', line, column, hint);
      },
    },
    OPTIONS,
  );
  // Not `parse`: it would let a key named `__proto__` set the prototype.
  return getNodeValue(parseTree(clean, [], OPTIONS)!);
}
