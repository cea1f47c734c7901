import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { momentOf } from '../formats/moment.ts';

/** A memory of another tool. */
export interface FoundMemory {
  /** How its own store names it. */
  readonly name: string;
  /** The fields of a request to store it. */
  readonly memory: JsonObject & { readonly content: string };
  /** The name of the memory that superseded it. */
  readonly supersededBy: string | null;
  /** Why, if the file says so. */
  readonly reason?: string;
}

export interface MemoryFile {
  readonly format: 'memory service (SQLite)' | 'reference memory server' | 'list of memories' | 'folder of Markdown';
  readonly memories: readonly FoundMemory[];
  /** Lines and rows that cannot be used, and why. */
  readonly problems: readonly string[];
}

const SQLITE_START = 'SQLite format 3\0';

/** Reads the memories of an export to Markdown, or of a file of another tool: the memory service, the reference memory server, or a list in JSON. */
export async function readMemoryFile(file: string): Promise<MemoryFile> {
  try {
    if ((await stat(file)).isDirectory()) return await readFolder(file);
    if (await isSqlite(file)) {
      const { readServiceDatabase } = await import('./memory-database.ts');
      return readServiceDatabase(file);
    }
    return readJson(await readFile(file, 'utf8'));
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'EACCES' && code !== 'EISDIR') throw thrown;
    throw new DowserError('INVALID_FILE', `Cannot read ${file} (${code}).`, { cause: thrown, field: 'file' });
  }
}

async function isSqlite(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SQLITE_START.length), 0, SQLITE_START.length, 0);
    return buffer.toString('latin1', 0, bytesRead) === SQLITE_START;
  } finally {
    await handle.close();
  }
}

function readJson(text: string): MemoryFile {
  const problems: string[] = [];
  const documents = wholeDocument(text) ?? linesOf(text, problems);
  const isGraph = documents.some((one) => isJsonObject(one) && (one.type === 'entity' || one.type === 'relation'));
  const format = isGraph ? 'reference memory server' : 'list of memories';
  const memories = documents.flatMap((one, at) => {
    const found = isGraph ? fromGraph(one) : fromList(one, at);
    if (found.length === 0) problems.push(`item ${at + 1}: has no content`);
    return found;
  });
  if (memories.length > 0) return { format, memories, problems };
  throw new DowserError(
    'INVALID_FILE',
    `The file has no memories${problems.length === 0 ? '' : ` (${problems[0]})`}.`,
    {
      field: 'file',
      hint: 'Give the SQLite file of a memory service, the JSON file of the reference memory server, or a JSON list.',
    },
  );
}

/** A list, or an object that has one. */
function wholeDocument(text: string): readonly unknown[] | undefined {
  try {
    const document: unknown = JSON.parse(text);
    if (Array.isArray(document)) return document;
    if (!isJsonObject(document)) return undefined;
    const lists = ['memories', 'results', 'entities'].flatMap((key) => (Array.isArray(document[key]) ? [key] : []));
    if (lists[0] === 'entities') return graphItems(document);
    return lists[0] === undefined ? [document] : (document[lists[0]] as readonly unknown[]);
  } catch {
    return undefined;
  }
}

/** The reference server's graph as one document instead of lines. */
function graphItems({ entities, relations }: JsonObject): readonly unknown[] {
  const typed = (list: unknown, type: string) =>
    (Array.isArray(list) ? list : []).map((one) => (isJsonObject(one) ? { ...one, type } : one));
  return [...typed(entities, 'entity'), ...typed(relations, 'relation')];
}

function linesOf(text: string, problems: string[]): readonly unknown[] {
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    try {
      return [JSON.parse(line) as unknown];
    } catch {
      problems.push(`line ${at + 1}: is not JSON`);
      return [];
    }
  });
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** An observation is a memory about its entity; a relation is one about two. */
function fromGraph(item: unknown): readonly FoundMemory[] {
  if (!isJsonObject(item)) return [];
  const { type, name, entityType, observations, from, to, relationType } = item;
  if (type === 'relation') {
    const [a, b, how] = [textOf(from), textOf(to), textOf(relationType)];
    if (a === undefined || b === undefined || how === undefined) return [];
    const content = `${a} ${how.replaceAll('_', ' ')} ${b}`;
    return [{ name: content, memory: { content, memory_type: 'relation', tags: [a, b] }, supersededBy: null }];
  }
  const about = textOf(name);
  if (about === undefined || !Array.isArray(observations)) return [];
  return observations.flatMap((one, at) => {
    const said = textOf(one);
    if (said === undefined) return [];
    const memory = { content: `${about}: ${said}`, memory_type: textOf(entityType) ?? 'entity', tags: [about] };
    return [{ name: `${about} ${at + 1}`, memory, supersededBy: null }];
  });
}

/** A list of `dowser memory list --json` says who reads a memory and who said it: it gets no more readers, and no more trust. */
function ownFields(item: JsonObject): JsonObject {
  const { path, source_class, namespace, owner } = item;
  if (typeof path !== 'string' || source_class === undefined) return {};
  return Object.fromEntries(Object.entries({ source_class, namespace, owner }).filter(([, value]) => value != null));
}

/** The names that exports of other tools have for the same thing. */
function fromList(item: unknown, at: number): readonly FoundMemory[] {
  if (typeof item === 'string') return fromList({ content: item }, at);
  if (!isJsonObject(item)) return [];
  const content = textOf(item.content) ?? textOf(item.memory) ?? textOf(item.text);
  if (content === undefined) return [];
  const created = momentOf(item.created_at_iso ?? item.created_at ?? item.createdAt ?? item.timestamp);
  const metadata = isJsonObject(item.metadata) ? item.metadata : undefined;
  const memory = {
    content,
    ...(item.tags === undefined ? {} : { tags: item.tags }),
    ...(textOf(item.memory_type ?? item.type) === undefined ? {} : { memory_type: item.memory_type ?? item.type }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(created === undefined ? {} : { created_at: created }),
    ...ownFields(item),
  };
  return [
    {
      name: textOf(item.content_hash ?? item.id) ?? `item ${at + 1}`,
      memory,
      supersededBy: textOf(item.superseded_by) ?? null,
    },
  ];
}

/** Files without front matter, such as a README, are skipped. */
async function readFolder(folder: string): Promise<MemoryFile> {
  // With the YAML library, which no other action of a memory needs.
  const { readMemoryPage } = await import('./memory-page.ts');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.md'));
  const memories: FoundMemory[] = [];
  for (const file of files.map((entry) => join(entry.parentPath, entry.name)).sort()) {
    const found = readMemoryPage(await readFile(file, 'utf8'));
    if (found !== null) memories.push(found);
  }
  if (memories.length > 0) return { format: 'folder of Markdown', memories, problems: [] };
  throw new DowserError('INVALID_FILE', `${folder} has no memories.`, {
    field: 'file',
    hint: 'Give a folder that `dowser memory export` wrote.',
  });
}
