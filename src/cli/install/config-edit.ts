import { isDeepStrictEqual } from 'node:util';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { entryChanges, parseJsonWithComments, type TextChange } from '../../sources/formats/json-with-comments.ts';
import { type ClientFormat, toClientEntry, toCodexTable } from '../../standards/client-files.ts';
import type { ServerStart } from '../../standards/server-start.ts';
import { changed } from './text-change.ts';

/** What an installation wrote, enough to recognize it: the entry of a JSON file, or the table of a TOML file. */
export type Written = Readonly<Record<string, unknown>> | string;

export interface Edited {
  readonly changes: readonly TextChange[];
  readonly written: Written;
}

/** One file of a client, as text. Pure: files are read and written elsewhere. */
export interface ConfigFile {
  readonly format: ClientFormat;
  /** For messages. */
  readonly file: string;
  readonly text: string;
}

/** The entry of a name as it is in the file. Undefined: there is none. */
export function entryNamed({ format, file, text }: ConfigFile, name: string): Written | undefined {
  if (format.list === null) return tableNamed(text, file, name)?.table;
  if (text.trim() === '') return undefined;
  const config = parseJsonWithComments(text, file);
  if (!isJsonObject(config)) {
    throw new DowserError('INVALID_FILE', `${file} is not a JSON object.`, {
      hint: 'Correct it first; nothing was changed.',
    });
  }
  const list = config[format.list];
  if (list !== undefined && !isJsonObject(list)) {
    throw new DowserError('INVALID_FILE', `'${format.list}' of ${file} is not an object.`, {
      hint: 'Correct it first; nothing was changed.',
    });
  }
  const entry = list === undefined || !Object.hasOwn(list, name) ? undefined : list[name];
  return entry === undefined || isJsonObject(entry) ? entry : {};
}

/** The changes that write the entry. The file must have none of this name, or one that is to be replaced. */
export function withEntry(config: ConfigFile, name: string, start: ServerStart): Edited {
  const { format, file, text } = config;
  if (format.list === null) {
    const table = toCodexTable(name, start);
    if (table === null) {
      throw new DowserError(
        'INVALID_REQUEST',
        `${format.title} cannot fill variables into an argument or an address.`,
        {
          hint: 'Add the server by hand, or install it into another client.',
        },
      );
    }
    const own = tableNamed(text, file, name);
    if (own !== undefined) return { changes: [{ at: own.at, removed: own.table, added: table }], written: table };
    const gap = text === '' || text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n';
    return { changes: [{ at: text.length, removed: '', added: gap + table }], written: table };
  }
  const written = toClientEntry(format, start);
  if (text.trim() !== '') return { changes: entryChanges(text, format.list, name, written), written };
  const added = changed('{}\n', entryChanges('{}\n', format.list, name, written));
  return { changes: [{ at: 0, removed: text, added }], written };
}

/** The changes that take the entry out. */
export function withoutEntry({ format, file, text }: ConfigFile, name: string): readonly TextChange[] {
  if (format.list !== null) return text.trim() === '' ? [] : entryChanges(text, format.list, name);
  const own = tableNamed(text, file, name);
  return own === undefined ? [] : [{ at: own.at, removed: own.table, added: '' }];
}

export const isSameEntry = (a: Written | undefined, b: Written): boolean =>
  typeof a === 'string' && typeof b === 'string' ? a.trimEnd() === b.trimEnd() : isDeepStrictEqual(plain(a), plain(b));

/** Parsed objects have no prototype. */
const plain = (value: Written | undefined): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value));

/** `[mcp_servers.name]` and what follows, with the tables inside it, up to the next table. Empty if it is written in another way. */
function tableNamed(text: string, file: string, name: string): { at: number; table: string } | undefined {
  const lines = text.split(/(?<=\n)/);
  const open = lines.map(headerOf);
  const isOwn = (path: readonly string[] | undefined) => path?.[0] === LIST && path[1] === name;
  const first = open.findIndex(isOwn);
  const keys = assignedKeys(lines, open);
  const isClosed = keys.some((path) => path[0] === LIST && path.length === 1);
  if (isClosed || lines.some((line, at) => open[at]?.length === 1 && open[at][0] === LIST && /^\s*\[\[/.test(line))) {
    throw new DowserError('INVALID_FILE', `'${LIST}' of ${file} is one value, to which no table can be added.`, {
      hint: `Write each server as a table [${LIST}.NAME]. Nothing was changed.`,
    });
  }
  if (first === -1) return keys.some(isOwn) ? { at: text.length, table: '' } : undefined;
  let end = first + 1;
  while (end < lines.length && (open[end] === undefined || isOwn(open[end]))) end++;
  // Comments before the next table belong to it.
  while (end > first + 1 && /^(?:#|$)/.test(lines[end - 1]!.trim())) end--;
  return { at: lines.slice(0, first).join('').length, table: lines.slice(first, end).join('') };
}

const LIST = 'mcp_servers';

/** The keys of `[a."b c".d]` and `[[a]]`. Undefined for any other line. */
function headerOf(line: string): readonly string[] | undefined {
  const [, inside] = /^[ \t]*\[\[?((?:[^"'[\]]|"(?:[^"\\]|\\.)*"|'[^']*')+)\]\]?[ \t]*(?:#.*)?\r?\n?$/.exec(line) ?? [];
  return inside === undefined ? undefined : keysOf(inside);
}

/** The keys of a path such as `a."b.c"`. */
function keysOf(path: string): readonly string[] {
  const keys = [''];
  let quote = '';
  for (let at = 0; at < path.length; at++) {
    const sign = path[at]!;
    let added = sign;
    if (quote === '"' && sign === '\\') added += path[++at] ?? '';
    else if (sign === quote || (quote === '' && (sign === '"' || sign === "'"))) {
      quote = quote === '' ? sign : '';
      added = '';
    } else if (quote === '' && sign === '.') keys.push('');
    if (quote === '' && (sign === '.' || sign.trim() === '')) added = '';
    keys[keys.length - 1] += added;
  }
  return path.trim() === '' ? [] : keys;
}

/** What stands before the `=` of a line, which quotes may hold too. */
function keyBefore(line: string): string | undefined {
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const sign = line[at]!;
    if (quote === '"' && sign === '\\') at++;
    else if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '#') return undefined;
    else if (sign === '=') return line.slice(0, at).trim() || undefined;
  }
  return undefined;
}

/** The whole key of each line with `=`: `[a]` and then `b.c = 1` is a, b and c. */
function assignedKeys(
  lines: readonly string[],
  open: readonly (readonly string[] | undefined)[],
): readonly (readonly string[])[] {
  let table: readonly string[] = [];
  return lines.flatMap((line, at) => {
    table = open[at] ?? table;
    const key = keyBefore(line);
    return open[at] !== undefined || key === undefined ? [] : [[...table, ...keysOf(key)]];
  });
}
