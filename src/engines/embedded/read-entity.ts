import type { Entity, EntityId } from '../../model/entity.ts';
import type { StoredEntity } from '../store.ts';
import { cutSchemas } from './cut-schemas.ts';
import type { StoredDocument } from './record/record-store.ts';

type InputSchema = Record<string, unknown>;

/**
 * An entity as it was stored. Most of a server's text are the input schemas of its tools, and objects with ever new keys
 * take the runtime long to make: each is parsed when it is first read. Everybody gets the same objects, so they are frozen.
 */
export function readEntity(id: EntityId, [, createdAt, updatedAt, json]: StoredDocument): StoredEntity {
  const entity = readServer(json) ?? JSON.parse(json);
  freeze(entity);
  return Object.freeze({ id, entity, createdAt, updatedAt });
}

/** How a server's text begins: `type` is the first key of every entity. */
const SERVER = '{"type":"mcp_server",';

/** Null for what is no server, and for one that says `inputSchema` elsewhere too, such as in its metadata. */
function readServer(json: string): Entity | null {
  if (!json.startsWith(SERVER)) return null;
  const { text, schemas } = cutSchemas(json);
  if (schemas.length === 0) return null;
  const server: Entity & { readonly tools: readonly { inputSchema?: unknown }[] } = JSON.parse(text);
  let found = 0;
  for (const tool of server.tools) {
    if (typeof tool.inputSchema !== 'number') continue;
    parseWhenRead(tool, schemas[tool.inputSchema]!);
    found++;
  }
  return found === schemas.length ? server : null;
}

function parseWhenRead(tool: { inputSchema?: unknown }, text: string): void {
  let schema: InputSchema | undefined;
  Object.defineProperty(tool, 'inputSchema', {
    enumerable: true,
    get() {
      if (schema === undefined) {
        schema = JSON.parse(text) as InputSchema;
        freeze(schema);
      }
      return schema;
    },
  });
}

/** What JSON holds, all of it. `for in` takes a third of the time of `Object.values`, and JSON inherits nothing. */
function freeze(value: object): void {
  if (Array.isArray(value)) {
    for (const part of value) if (typeof part === 'object' && part !== null) freeze(part);
  } else {
    for (const key in value) {
      // Reading a schema that waits to be parsed would parse it.
      if (key === 'inputSchema' && Object.getOwnPropertyDescriptor(value, key)?.get !== undefined) continue;
      const part: unknown = value[key as keyof typeof value];
      if (typeof part === 'object' && part !== null) freeze(part);
    }
  }
  Object.freeze(value);
}
