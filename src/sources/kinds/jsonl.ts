import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type Entity, type ParsedEntity, parseEntity } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { jsonFault } from '../../model/json/json-fault.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { showValue } from '../../model/parse/parse.ts';
import { cannotRead } from '../fetch/read-document.ts';

/** The number of a line, counted from 1, and the bytes read so far. */
interface Place {
  readonly line: number;
  readonly bytesRead: number;
}

/** The value of a line, or why it is not JSON. */
export type JsonLine = Place & ({ readonly value: unknown } | { readonly error: DowserError });

/** The entity of a line, or why it is invalid. */
export type JsonlLine = Place &
  (
    | {
        readonly entity: Entity;
        /** What was accepted but not used, such as an unknown field. */
        readonly warnings: readonly string[];
        /** Both, for a registry: it does not parse the entity again. */
        readonly parsed: ParsedEntity;
      }
    | { readonly error: DowserError }
  );

export interface JsonlFile {
  readonly bytes: number;
  readonly lines: AsyncIterable<JsonlLine>;
}

/** In these files `null` means that a field is absent. */
const given = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

/**
 * Converts the layout of public tool collections, `{id, type, name, description, tags, tools, metadata}`, to an entity:
 * `id` becomes the path and `doc` a document. A tool's schema and an agent's skills come from `tools`, a skill's text from
 * `metadata.body`. A line with a `path` is an entity already.
 */
export function fromCollectionLine(line: unknown): unknown {
  if (!isJsonObject(line) || line.path !== undefined || line.id === undefined) return line;
  const { id, type, tools, ...fields } = line;
  const path = typeof id === 'number' ? String(id) : id;
  // Entries without a name are known by their id.
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

function parseEntityLine(value: unknown) {
  if (!isJsonObject(value))
    throw new DowserError('INVALID_FILE', `A line must be a JSON object, not ${showValue(value)}.`);
  const parsed = parseEntity(fromCollectionLine(value));
  return { entity: parsed.entity, warnings: parsed.warnings, parsed };
}

/** An invalid line does not stop the others. */
function orError<T extends object>(parse: () => T): T | { readonly error: DowserError } {
  try {
    return parse();
  } catch (thrown) {
    if (thrown instanceof DowserError) return { error: thrown };
    const error = new DowserError('INVALID_FILE', `Invalid line: ${(thrown as Error).message}.`, {
      cause: thrown,
    });
    return { error };
  }
}

const MISSING_HINT = 'Check the path. Use `dowser add` for an address, a configuration or a folder of skills.';

/**
 * The lines of a text file. Only a line feed ends a line: JSON strings may contain other Unicode separators. Throws
 * NOT_FOUND or INVALID_FILE when reading fails.
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
    throw cannotRead(file, cause, MISSING_HINT);
  }
  yield { line: line + 1, bytesRead: input.bytesRead, text };
}

/** The values of a JSON Lines file. An invalid line does not stop the reading. Skips blank lines and a byte order mark. */
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

/** Opens a JSON Lines file of entities. An invalid line is reported and does not stop the reading. */
export async function openJsonl(file: string): Promise<JsonlFile> {
  try {
    const found = await stat(file);
    if (found.isFile()) return { bytes: found.size, lines: readEntities(file) };
  } catch (cause) {
    throw cannotRead(file, cause, MISSING_HINT);
  }
  throw new DowserError('INVALID_FILE', `${file} is not a file.`, {
    hint: 'Name the .jsonl files in it. Use `dowser add` for a folder of skills.',
  });
}
