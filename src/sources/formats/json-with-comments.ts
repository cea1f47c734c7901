import { getNodeValue, type JSONPath, modify, type Node, parseTree, visit } from 'jsonc-parser';
import { DowserError } from '../../model/errors/errors.ts';
import { LIMITS } from '../../model/parse/limits.ts';

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

/** One replaced part of a text: what was there, and what is there now. */
export interface TextChange {
  /** Its place in the text before all changes. */
  readonly at: number;
  readonly removed: string;
  readonly added: string;
}

type Entry = Readonly<Record<string, unknown>>;

/**
 * The changes, in order, that set one entry of a list in a JSON object with comments, or remove it where it is undefined. They have the
 * entry and a comma, and of the rest nothing.
 */
export function entryChanges(text: string, list: string, name: string, entry?: Entry): readonly TextChange[] {
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  const clean = text.slice(start);
  const root = parseTree(clean, [], OPTIONS)!;
  const entries = propertyNamed(root, list)?.children?.[1];
  const found = entries === undefined ? undefined : propertyNamed(entries, name);
  return changesOf().map((change) => ({ ...change, at: change.at + start }));

  function changesOf(): readonly TextChange[] {
    if (entry === undefined) return found === undefined ? [] : removal(clean, entries!, found);
    const style = styleOf(clean);
    const own = (indent: string | null) => `${JSON.stringify(name)}: ${entryText(entry, indent, style)}`;
    if (found !== undefined) {
      const removed = clean.slice(found.offset, endOf(found));
      const indent = removed.includes('\n') ? indentAt(clean, found.offset) : null;
      return [{ at: found.offset, removed, added: own(indent) }];
    }
    if (entries !== undefined) return insertion(clean, entries, own, style);
    const withList = (indent: string | null) => {
      const inside = indent === null ? null : indent + style.unit;
      return `${JSON.stringify(list)}: ${inBraces([own(inside)], indent, style)}`;
    };
    return insertion(clean, root, withList, style);
  }
}

/**
 * The changes, in order, that set the value at a path, or remove it where it is undefined. Missing objects and lists on the way are made; with
 * `insert`, an item is put into a list.
 */
export function valueChanges(text: string, path: JSONPath, value: unknown, insert = false): readonly TextChange[] {
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  const clean = text.slice(start);
  const { unit, eol } = styleOf(clean);
  const formattingOptions = { tabSize: unit === '\t' ? 1 : unit.length, insertSpaces: unit !== '\t', eol };
  return modify(clean, path, value, { formattingOptions, isArrayInsertion: insert })
    .map(({ offset, length, content }) => {
      return { at: offset + start, removed: clean.slice(offset, offset + length), added: content };
    })
    .sort((a, b) => a.at - b.at);
}

interface Style {
  readonly unit: string;
  readonly eol: string;
}

function styleOf(text: string): Style {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return { unit: indent.startsWith('\t') ? '\t' : indent, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** A line for each field. Without an indent all is on one line. */
const entryText = (entry: Entry, indent: string | null, style: Style): string =>
  inBraces(
    Object.entries(entry).map(([key, value]) => `${JSON.stringify(key)}: ${onOneLine(value)}`),
    indent,
    style,
  );

function inBraces(fields: readonly string[], indent: string | null, { unit, eol }: Style): string {
  if (indent === null) return `{ ${fields.join(', ')} }`;
  return `{${eol}${fields.map((field) => indent + unit + field).join(`,${eol}`)}${eol}${indent}}`;
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${onOneLine(inner)}`)
    .join(', ')} }`;
}

/** Of two with one key, the last counts. */
const propertyNamed = (object: Node, key: string): Node | undefined =>
  object.children?.findLast((property) => property.children?.[0]?.value === key);

const endOf = ({ offset, length }: Node): number => offset + length;

const indentAt = (text: string, at: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))![0];

/** Blanks between signs, and those of a line. */
const GAP = ' \t\r\n';
const GAP_OF_LINE = ' \t';

/** Behind these blanks and the comments among them. */
function behind(blanks: string, text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    if (blanks.includes(text[at]!)) at++;
    else if (text.startsWith('//', at)) {
      while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at++;
    } else {
      const end = text.startsWith('/*', at) ? text.indexOf('*/', at + 2) : -1;
      if (end < 0) return at;
      at = end + 2;
    }
  }
  return at;
}

function commaBehind(text: string, value: Node): number | undefined {
  const at = behind(GAP, text, endOf(value));
  return text[at] === ',' ? at : undefined;
}

/** Puts a property at the end of an object: behind the comment of the last one, and on one line with it if all are. */
function insertion(
  text: string,
  object: Node,
  own: (indent: string | null) => string,
  { unit, eol }: Style,
): readonly TextChange[] {
  const insert = (at: number, added: string): TextChange => ({ at, removed: '', added });
  const last = object.children?.at(-1);
  const comma = last && commaBehind(text, last);
  const from = comma !== undefined ? comma + 1 : last === undefined ? object.offset + 1 : endOf(last);
  const lineEnd = behind(GAP_OF_LINE, text, from);
  const endsLine = text[lineEnd] === '\n' || text[lineEnd] === '\r';
  if (last === undefined) {
    const outer = indentAt(text, object.offset);
    const added = `${eol}${outer}${unit}${own(outer + unit)}`;
    return [endsLine ? insert(lineEnd, added) : insert(from, `${added}${eol}${outer}`)];
  }
  if (!endsLine) return [insert(from, comma === undefined ? `, ${own(null)}` : ` ${own(null)},`)];
  const indent = indentAt(text, last.offset);
  const added = `${eol}${indent}${own(indent)}`;
  if (comma !== undefined) return [insert(lineEnd, `${added},`)];
  return lineEnd === from ? [insert(from, `,${added}`)] : [insert(from, ','), insert(lineEnd, added)];
}

/** Takes a property out, with its line if it has one of its own, and the comma that is then too many. */
function removal(text: string, object: Node, property: Node): readonly TextChange[] {
  const remove = (from: number, to: number): TextChange => ({ at: from, removed: text.slice(from, to), added: '' });
  const comma = commaBehind(text, property);
  const isNear = comma !== undefined && text.slice(endOf(property), comma).trim() === '';
  const end = isNear ? comma + 1 : endOf(property);
  let lead = property.offset;
  while (text[lead - 1] === ' ' || text[lead - 1] === '\t') lead--;
  const startsLine = text[lead - 1] === '\n';
  const blanks = /^[ \t]*(?=\r?\n)/.exec(text.slice(end));
  const isAlone = startsLine && blanks !== null;
  const from = isAlone ? lead - (text[lead - 2] === '\r' ? 2 : 1) : startsLine ? property.offset : lead;
  const own = remove(from, isAlone ? end + blanks[0].length : end);
  if (comma !== undefined) return isNear ? [own] : [own, remove(comma, comma + 1)];
  const previous = object.children?.[object.children.indexOf(property) - 1];
  const before = previous && commaBehind(text, previous);
  return before === undefined ? [own] : [remove(before, before + 1), own];
}
