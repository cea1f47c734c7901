import { isDeepStrictEqual } from 'node:util';
import { DowserError } from '../../model/errors.ts';
import { isJsonObject } from '../../model/json-object.ts';
import { editJsonWithComments, parseJsonWithComments } from '../../sources/formats/json-with-comments.ts';
import { type ClientFormat, toClientEntry, toCodexTable } from '../../standards/client-files.ts';
import type { ServerStart } from '../../standards/server-start.ts';

/** What an installation wrote, enough to recognize it: the entry of a JSON file, or the table of a TOML file. */
export type Written = Readonly<Record<string, unknown>> | string;

export interface Edited {
  /** The whole file. */
  readonly text: string;
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
  if (format.list === null) return tableNamed(text, name);
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

/** The file with the entry. It must have none of this name, or one that is to be replaced. */
export function withEntry(config: ConfigFile, name: string, start: ServerStart): Edited {
  const { format, text } = config;
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
    const kept = withoutEntry(config, name);
    const gap = kept === '' || kept.endsWith('\n\n') ? '' : kept.endsWith('\n') ? '\n' : '\n\n';
    return { text: `${kept}${gap}${table}`, written: table };
  }
  const written = toClientEntry(format, start);
  const base = text.trim() === '' ? '{}\n' : text;
  return { text: editJsonWithComments(base, [format.list, name], written), written };
}

/** The file without the entry. */
export function withoutEntry({ format, text }: ConfigFile, name: string): string {
  if (format.list !== null) return editJsonWithComments(text, [format.list, name], undefined);
  const table = tableNamed(text, name);
  if (table === undefined) return text;
  const at = text.indexOf(table);
  return text.slice(0, at) + text.slice(at + table.length);
}

export const isSameEntry = (a: Written | undefined, b: Written): boolean =>
  typeof a === 'string' && typeof b === 'string' ? a.trimEnd() === b.trimEnd() : isDeepStrictEqual(plain(a), plain(b));

/** Parsed objects have no prototype. */
const plain = (value: Written | undefined): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value));

/** `[mcp_servers.name]` and what follows, with the tables inside it, up to the next table. */
function tableNamed(text: string, name: string): string | undefined {
  const lines = text.split(/(?<=\n)/);
  const open = lines.map(headerOf);
  const isOwn = (path: readonly string[] | undefined) => path?.[0] === 'mcp_servers' && path[1] === name;
  const first = open.findIndex(isOwn);
  if (first === -1) return isInline(lines, open, name) ? '' : undefined;
  let end = first + 1;
  while (end < lines.length && (open[end] === undefined || isOwn(open[end]))) end++;
  // Comments before the next table belong to it.
  while (end > first + 1 && end < lines.length && /^(?:#|$)/.test(lines[end - 1]!.trim())) end--;
  return lines.slice(first, end).join('');
}

/** The keys of `[a."b c".d]`. Undefined for any other line. */
function headerOf(line: string): readonly string[] | undefined {
  const [, inside] = /^[ \t]*\[([^[\]]+)\][ \t]*(?:#.*)?\r?\n?$/.exec(line) ?? [];
  return inside?.match(/"[^"]*"|'[^']*'|[\w-]+/g)?.map((key) => key.replace(/^["']|["']$/g, ''));
}

/** `name = {...}` under `[mcp_servers]`, or `mcp_servers.name = {...}`: another way to write it, which is not edited. */
function isInline(lines: readonly string[], open: readonly (readonly string[] | undefined)[], name: string): boolean {
  let table: readonly string[] = [];
  return lines.some((line, at) => {
    table = open[at] ?? table;
    const [key] = line.split('=');
    const keys = [...table, ...(key?.match(/"[^"]*"|[\w-]+/g) ?? []).map((part) => part.replaceAll('"', ''))];
    return open[at] === undefined && line.includes('=') && keys[0] === 'mcp_servers' && keys[1] === name;
  });
}
