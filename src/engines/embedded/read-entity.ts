import type { Entity, EntityId, McpServer } from '../../model/entity.ts';
import type { InputSchema, ShownEntity, StoredEntity } from '../engine.ts';
import { cutSchemas } from './cut-schemas.ts';
import type { StoredDocument } from './record/record-store.ts';

/**
 * An entity as it was read. Most of what a server says are the input schemas of its tools, and objects with ever new keys
 * take the runtime long to make: each is parsed when it is asked for. Everybody gets the same objects, so they are frozen.
 */
export class ReadEntity implements ShownEntity {
  readonly id: EntityId;
  readonly entity: Entity;
  readonly #createdAt: string;
  readonly #updatedAt: string;
  /** By tool: what was cut out of the text, or what it turned out to be. */
  readonly #schemas: (string | InputSchema | undefined)[];
  #stored: StoredEntity | null = null;

  constructor(id: EntityId, [, createdAt, updatedAt, json]: StoredDocument) {
    this.id = id;
    this.#createdAt = createdAt;
    this.#updatedAt = updatedAt;
    const server = readServer(json);
    this.entity = server?.entity ?? JSON.parse(json);
    this.#schemas = server?.schemas ?? [];
    freeze(this.entity);
  }

  inputSchema(tool: number): InputSchema | undefined {
    const known = this.#schemas[tool];
    if (known === undefined)
      return this.entity.type === 'mcp_server' ? this.entity.tools[tool]?.inputSchema : undefined;
    if (typeof known !== 'string') return known;
    const schema: InputSchema = JSON.parse(known);
    freeze(schema);
    this.#schemas[tool] = schema;
    return schema;
  }

  /** The whole of it. */
  get stored(): StoredEntity {
    this.#stored ??= Object.freeze({
      id: this.id,
      entity: this.#whole(),
      createdAt: this.#createdAt,
      updatedAt: this.#updatedAt,
    });
    return this.#stored;
  }

  #whole(): Entity {
    const { entity } = this;
    if (entity.type !== 'mcp_server' || this.#schemas.length === 0) return entity;
    const tools = entity.tools.map((tool, at) => {
      const inputSchema = this.inputSchema(at);
      return inputSchema === undefined ? tool : { ...tool, inputSchema };
    });
    const whole = { ...entity, tools };
    freeze(whole);
    return whole;
  }
}

interface CutServer {
  readonly entity: McpServer;
  readonly schemas: (string | undefined)[];
}

/** Null for what is no server, and for one that says `inputSchema` elsewhere too, such as in its metadata. */
function readServer(json: string): CutServer | null {
  if (!json.startsWith(SERVER)) return null;
  const { text, schemas } = cutSchemas(json);
  if (schemas.length === 0) return null;
  const server: { readonly tools: readonly { inputSchema?: unknown }[] } = JSON.parse(text);
  const byTool: (string | undefined)[] = [];
  let found = 0;
  for (const tool of server.tools) {
    const number = tool.inputSchema;
    byTool.push(typeof number === 'number' ? schemas[number] : undefined);
    if (typeof number !== 'number') continue;
    tool.inputSchema = undefined;
    found++;
  }
  return found === schemas.length ? { entity: server as McpServer, schemas: byTool } : null;
}

/** How its text begins: `type` is the first key of every entity. */
const SERVER = '{"type":"mcp_server",';

/** What JSON holds, all of it. `for in` takes a third of the time of `Object.values`, and JSON inherits nothing. */
function freeze(value: object): void {
  if (Array.isArray(value)) {
    for (const part of value) if (typeof part === 'object' && part !== null) freeze(part);
  } else {
    for (const key in value) {
      const part: unknown = value[key as keyof typeof value];
      if (typeof part === 'object' && part !== null) freeze(part);
    }
  }
  Object.freeze(value);
}
