import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type Entity, type ParsedEntity, parseEntity } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import { jsonFault } from '../model/json-fault.ts';
import { isJsonObject, type JsonObject } from '../model/json-object.ts';
import { showValue } from '../model/parse.ts';

/** A line of a file with its number, counted from 1, and how far the reading is. */
interface Place {
  readonly line: number;
  readonly bytesRead: number;
}

/** What a line holds, or why it is not JSON. */
export type JsonLine = Place & ({ readonly value: unknown } | { readonly error: DowserError });

/** What a line says, or why it cannot be used. */
export type JsonlLine = Place &
  (
    | {
        readonly entity: Entity;
        /** What was accepted but not used, such as a field that no schema knows. */
        readonly warnings: readonly string[];
      }
    | { readonly error: DowserError }
  );

export interface JsonlFile {
  readonly bytes: number;
  readonly lines: AsyncIterable<JsonlLine>;
}

/** `{a: undefined}` and `{a: null}` both mean that a field was left out by whoever wrote the file. */
const given = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

/**
 * Reads the layout of public tool collections, `{id, type, name, description, tags, tools, metadata}`, as an entity:
 * `id` becomes the path, `doc` a document, a tool's schema and an agent's skills are found in `tools`, a skill's text in
 * `metadata.body`. A line that has a `path` is taken to be an entity already.
 */
export function fromCollectionLine(line: unknown): unknown {
  if (!isJsonObject(line) || line.path !== undefined || line.id === undefined) return line;
  const { id, type, tools, ...fields } = line;
  const path = typeof id === 'number' ? String(id) : id;
  // Collections have entries that nobody named; their id is what they are known by.
  const isNamed = typeof fields.name === 'string' && fields.name.trim() !== '';
  const rest: JsonObject = isNamed || type === 'doc' || type === 'document' ? fields : { ...fields, name: path };
  const listed: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const metadata = isJsonObject(rest.metadata) ? rest.metadata : undefined;
  switch (type) {
    case 'doc':
    case 'document':
      return given({ ...rest, type: 'document', path });
    case 'tool': {
      const first = isJsonObject(listed[0]) ? listed[0] : {};
      const { inputSchema, schema, examples } = first;
      return given({ inputSchema: inputSchema ?? schema, examples, ...rest, type, path });
    }
    case 'a2a_agent': {
      const { capabilities, ...others } = metadata ?? {};
      const skills = listed.map((tool) => (isJsonObject(tool) ? agentSkill(tool) : tool));
      const known = isJsonObject(capabilities) ? { capabilities, metadata: others } : {};
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

function agentSkill({ inputSchema: _, ...tool }: JsonObject): JsonObject {
  return given({ ...tool, id: tool.id ?? tool.name });
}

function parseJsonLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { column, reason } = jsonFault(text);
    throw new DowserError('MALFORMED_JSON', `Not JSON: ${reason}.`, { details: { column }, cause });
  }
}

function parseEntityLine(value: unknown): ParsedEntity {
  if (!isJsonObject(value))
    throw new DowserError('INVALID_FILE', `A line must be a JSON object, not ${showValue(value)}.`);
  return parseEntity(fromCollectionLine(value));
}

/** Whatever a line makes go wrong is the trouble of that line alone. */
function orError<T extends object>(parse: () => T): T | { readonly error: DowserError } {
  try {
    return parse();
  } catch (thrown) {
    if (thrown instanceof DowserError) return { error: thrown };
    const error = new DowserError('INVALID_FILE', `The line cannot be used: ${(thrown as Error).message}.`, {
      cause: thrown,
    });
    return { error };
  }
}

function cannotRead(file: string, cause: unknown): DowserError {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT') {
    return new DowserError('NOT_FOUND', `There is no file '${file}'.`, {
      hint: 'Check the path. An address, a configuration or a folder of skills is for `dowser add`.',
      cause,
    });
  }
  return new DowserError('INVALID_FILE', `${file} cannot be read (${code ?? message}).`, { cause });
}

/**
 * The lines of a text file. Only a line feed ends one: JSON may hold the other separators of Unicode inside a string.
 * Throws NOT_FOUND or INVALID_FILE when the file cannot be read to its end.
 */
async function* textLines(file: string): AsyncGenerator<Place & { readonly text: string }> {
  const input = createReadStream(file, { encoding: 'utf8' });
  let line = 0;
  let text = '';
  try {
    for await (const chunk of input as AsyncIterable<string>) {
      const [first = '', ...others] = chunk.split('\n');
      text += first;
      for (const next of others) {
        line += 1;
        yield { line, bytesRead: input.bytesRead, text };
        text = next;
      }
    }
  } catch (cause) {
    throw cannotRead(file, cause);
  }
  yield { line: line + 1, bytesRead: input.bytesRead, text };
}

/** The values of a JSON Lines file. A bad line does not end the reading; blank lines and a byte order mark are passed over. */
export async function* readJsonLines(file: string): AsyncGenerator<JsonLine> {
  for await (const { line, bytesRead, text } of textLines(file)) {
    const clean = line === 1 ? text.replace(/^\uFEFF/, '') : text;
    if (clean.trim() === '') continue;
    yield { line, bytesRead, ...orError(() => ({ value: parseJsonLine(clean) })) };
  }
}

async function* readEntities(file: string): AsyncGenerator<JsonlLine> {
  for await (const entry of readJsonLines(file)) {
    if ('error' in entry) yield entry;
    else {
      const { value, ...place } = entry;
      yield { ...place, ...orError(() => parseEntityLine(value)) };
    }
  }
}

/** Opens a JSON Lines file of entities. A bad line is reported as such and does not end the reading. */
export async function openJsonl(file: string): Promise<JsonlFile> {
  try {
    const found = await stat(file);
    if (found.isFile()) return { bytes: found.size, lines: readEntities(file) };
  } catch (cause) {
    throw cannotRead(file, cause);
  }
  throw new DowserError('INVALID_FILE', `${file} is not a file.`, {
    hint: 'Name the .jsonl files themselves. A folder of skills is for `dowser add`.',
  });
}
