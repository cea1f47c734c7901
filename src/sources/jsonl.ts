import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { type Entity, parseEntity } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import { showValue } from '../model/parse.ts';

/** One line of a file: what it says, or why it cannot be used. Lines are counted from 1. */
export type JsonlLine =
  | { readonly line: number; readonly bytesRead: number; readonly entity: Entity }
  | { readonly line: number; readonly bytesRead: number; readonly error: DowserError };

export interface JsonlFile {
  readonly bytes: number;
  readonly lines: AsyncIterable<JsonlLine>;
}

type Loose = Record<string, unknown>;

const isObject = (value: unknown): value is Loose =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** `{a: undefined}` and `{a: null}` both mean that a field was left out by whoever wrote the file. */
const given = (fields: Loose): Loose =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

/**
 * Reads the layout of public tool collections, `{id, type, name, description, tags, tools, metadata}`, as an entity:
 * `id` becomes the path, `doc` a document, a tool's schema and an agent's skills are found in `tools`, a skill's text in
 * `metadata.body`. A line that has a `path` is taken to be an entity already.
 */
export function fromCollectionLine(line: unknown): unknown {
  if (!isObject(line) || line.path !== undefined || line.id === undefined) return line;
  const { id, type, tools, ...fields } = line;
  const path = typeof id === 'number' ? String(id) : id;
  // Collections have entries that nobody named; their id is what they are known by.
  const isNamed = typeof fields.name === 'string' && fields.name.trim() !== '';
  const rest: Loose = isNamed || type === 'doc' || type === 'document' ? fields : { ...fields, name: path };
  const listed: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const metadata = isObject(rest.metadata) ? rest.metadata : undefined;
  switch (type) {
    case 'doc':
    case 'document':
      return given({ ...rest, type: 'document', path });
    case 'tool': {
      const first = isObject(listed[0]) ? listed[0] : {};
      const { inputSchema, schema, examples } = first;
      return given({ inputSchema: inputSchema ?? schema, examples, ...rest, type, path });
    }
    case 'a2a_agent': {
      const { capabilities, ...others } = metadata ?? {};
      const skills = listed.map((tool) => (isObject(tool) ? agentSkill(tool) : tool));
      const known = isObject(capabilities) ? { capabilities, metadata: others } : {};
      return given({ skills, ...rest, ...known, type, path });
    }
    case 'skill': {
      const { body, ...others } = metadata ?? {};
      return given({ ...rest, ...(typeof body === 'string' ? { body, metadata: others } : {}), type, path });
    }
    case 'mcp_server':
      return given({ ...rest, tools: listed, type, path });
    default:
      return given({ ...rest, type, path });
  }
}

function agentSkill({ inputSchema: _, ...tool }: Loose): Loose {
  return given({ ...tool, id: tool.id ?? tool.name });
}

function parseLine(text: string): Entity {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new DowserError('MALFORMED_JSON', `Not JSON: ${(cause as Error).message}.`, { cause });
  }
  if (!isObject(value)) throw new DowserError('INVALID_FILE', `A line must be a JSON object, not ${showValue(value)}.`);
  return parseEntity(fromCollectionLine(value)).entity;
}

/** Opens a JSON Lines file. A bad line is reported as such and does not end the reading; blank lines are passed over. */
export async function openJsonl(file: string): Promise<JsonlFile> {
  let bytes: number;
  try {
    const found = await stat(file);
    if (!found.isFile()) {
      throw new DowserError('INVALID_FILE', `${file} is not a file.`, { hint: 'Name the .jsonl file itself.' });
    }
    bytes = found.size;
  } catch (cause) {
    if (cause instanceof DowserError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new DowserError('NOT_FOUND', `There is no file ${file}.`, { cause });
    throw new DowserError('INVALID_FILE', `${file} cannot be read (${code}).`, { cause });
  }
  return { bytes, lines: readLines(file) };
}

async function* readLines(file: string): AsyncGenerator<JsonlLine> {
  const input = createReadStream(file, { encoding: 'utf8' });
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  let line = 0;
  try {
    for await (const text of lines) {
      line += 1;
      const clean = line === 1 ? text.replace(/^\uFEFF/, '') : text;
      if (clean.trim() === '') continue;
      const at = { line, bytesRead: input.bytesRead };
      try {
        yield { ...at, entity: parseLine(clean) };
      } catch (error) {
        if (!(error instanceof DowserError)) throw error;
        yield { ...at, error };
      }
    }
  } finally {
    lines.close();
    input.destroy();
  }
}
