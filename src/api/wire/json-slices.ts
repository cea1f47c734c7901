import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  endOfString,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  SLICE_CHARS,
} from './json-excess.ts';

/** A text with the ends of its large objects and lists, as `scanJson` finds them. */
interface ScannedText {
  readonly text: string;
  readonly large: ReadonlyMap<number, number>;
  readonly sliceChars: number;
}

const BLANK = /^[ \t\n\r]*$/;
const START = /^[ \t\n\r]*/;

/**
 * Parses JSON and yields after every slice, so that other requests can run while megabytes are parsed. Gives
 * what `JSON.parse` gives, and throws a SyntaxError where it does.
 */
export function* parseSlices(
  text: string,
  large: ReadonlyMap<number, number>,
  sliceChars = SLICE_CHARS,
): Generator<void, unknown> {
  const start = START.exec(text)![0].length;
  const end = large.get(start);
  if (end === undefined) return JSON.parse(text);
  if (!BLANK.test(text.slice(end + 1))) throw new SyntaxError('There is text after the JSON.');
  return yield* parseLarge({ text, large, sliceChars }, start, end);
}

/** The object or list from `start` to the bracket at `end`. Members are parsed in groups, large ones by themselves. */
function* parseLarge(scanned: ScannedText, start: number, end: number): Generator<void, unknown> {
  const { text, large, sliceChars } = scanned;
  const isList = text.charCodeAt(start) === OPEN_LIST;
  if (text.charCodeAt(end) !== (isList ? CLOSE_LIST : CLOSE_OBJECT))
    throw new SyntaxError('The brackets do not match.');
  const members = isList ? new ListMembers() : new ObjectMembers();
  let depth = 0;
  /** Where the members that are not parsed yet begin, and the last of them. */
  let from = start + 1;
  let last = from;
  let isAfterLarge = false;
  const parseUpTo = (to: number) => {
    const group = text.slice(from, to);
    if (isAfterLarge && !BLANK.test(group)) throw new SyntaxError('A comma is missing.');
    if (!isAfterLarge) members.add(group);
    isAfterLarge = false;
  };
  for (let at = start + 1; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      const close = depth === 0 ? large.get(at) : undefined;
      if (close === undefined) depth++;
      else {
        if (isAfterLarge) throw new SyntaxError('A comma is missing.');
        if (last > from) parseUpTo(last - 1);
        const name = members.nameIn(text.slice(last, at));
        members.set(name, yield* parseLarge(scanned, at, close));
        isAfterLarge = true;
        at = close;
        from = close + 1;
        last = from;
      }
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    else if (code === COMMA && depth === 0) {
      last = at + 1;
      if (!isAfterLarge && at - from < sliceChars) continue;
      parseUpTo(at);
      from = last;
      yield;
    }
  }
  const isEmpty = from === start + 1 && BLANK.test(text.slice(from, end));
  if (!isEmpty) parseUpTo(end);
  return members.value;
}

/** The text of a group must have a member: two commas in a row are an error. */
class ListMembers {
  readonly value: unknown[] = [];

  add(group: string): void {
    const items = JSON.parse(`[${group}]`) as unknown[];
    if (items.length === 0) throw new SyntaxError('An item is missing.');
    for (const item of items) this.value.push(item);
  }

  /** What comes before a large member: nothing in a list, its name in an object. */
  nameIn(before: string): string {
    if (!BLANK.test(before)) throw new SyntaxError('A comma is missing.');
    return '';
  }

  set(_name: string, item: unknown): void {
    this.value.push(item);
  }
}

class ObjectMembers {
  readonly value: Record<string, unknown> = {};

  add(group: string): void {
    const fields = Object.entries(JSON.parse(`{${group}}`) as Record<string, unknown>);
    if (fields.length === 0) throw new SyntaxError('A field is missing.');
    for (const [name, field] of fields) this.set(name, field);
  }

  nameIn(before: string): string {
    return Object.keys(JSON.parse(`{${before} 0}`) as object)[0]!;
  }

  set(name: string, field: unknown): void {
    if (name !== '__proto__') this.value[name] = field;
    else
      Object.defineProperty(this.value, name, { value: field, enumerable: true, configurable: true, writable: true });
  }
}
