import { applyEdits, getNodeValue, modify, parseTree, visit } from 'jsonc-parser';
import { DowserError } from '../../model/errors.ts';
import { LIMITS } from '../../model/limits.ts';

const OPTIONS = { allowTrailingComma: true };

/**
 * Parses JSON with comments and trailing commas, as editors allow it. The error never repeats the text, which may contain a
 * key.
 */
export function parseJsonWithComments(text: string, subject: string): unknown {
  const clean = text.replace(/^\uFEFF/, '');
  /** The library counts lines and columns from 0. */
  const refuse = (problem: string, line0: number, column0: number, hint: string): never => {
    const [line, column] = [line0 + 1, column0 + 1];
    const message = `${subject} ${problem} (line ${line}, column ${column}).`;
    throw new DowserError('MALFORMED_JSON', message, { hint, details: { line, column } });
  };
  let depth = 0;
  const enter = (_offset: number, _length: number, line: number, column: number) => {
    const { max } = LIMITS.json_depth;
    if (++depth > max) refuse(`nests deeper than ${max} levels`, line, column, 'Use a flatter document.');
  };
  const leave = () => {
    depth--;
  };
  // The library goes on after an error, and recurses. So stop at the first error, and before the stack overflows.
  visit(
    clean,
    {
      onObjectBegin: enter,
      onArrayBegin: enter,
      onObjectEnd: leave,
      onArrayEnd: leave,
      onError(_error, _offset, _length, line, column) {
        const hint =
          clean.trim() === '' ? 'It is empty.' : 'Check the quotes, commas and brackets there and just before.';
        refuse('is not JSON', line, column, hint);
      },
    },
    OPTIONS,
  );
  // Not `parse`: it would let a key named `__proto__` set the prototype.
  return getNodeValue(parseTree(clean, [], OPTIONS)!);
}

/**
 * The text with one value set, or removed where it is undefined. Everything else stays as it was: comments, order, indentation and line
 * ends. The text must be an object.
 */
export function editJsonWithComments(text: string, path: readonly string[], value: unknown): string {
  const start = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const clean = text.slice(start.length);
  const indent = /\n([ \t]+)\S/.exec(clean)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: clean.includes('\r\n') ? '\r\n' : '\n',
  };
  return start + applyEdits(clean, modify(clean, [...path], value, { formattingOptions }));
}
