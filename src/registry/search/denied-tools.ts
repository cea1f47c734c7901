import type { Store } from '../../engines/store.ts';
import { type Entity, type EntityId, entityId, idOf } from '../../model/entity.ts';
import type { UnitId } from '../../model/entity-parts/unit.ts';
import { toolsOf, unitsOf } from '../../model/entity-types/table.ts';
import { scanRecords } from '../view/scan-records.ts';

/** The tools that the operator denies, by the path of their server. Throws INVALID_FILE if the rules cannot be read. */
export type ReadDenied = () => Promise<ReadonlyMap<string, readonly string[]>>;

/** What the rules mean for what is stored now. */
export interface DeniedTools {
  /** Names of tools, by the server that has them: also of virtual servers that have such a tool under a name of their own. */
  readonly byServer: ReadonlyMap<EntityId, ReadonlySet<string>>;
  /** Their units. Undefined: nothing is denied. */
  readonly units: readonly UnitId[] | undefined;
}

const NOTHING: DeniedTools = { byServer: new Map(), units: undefined };
/** The rules are a file of the operator. It is looked at this often at most, so that no search waits for the disk. */
const LOOK_MS = 250;

/** Follows the rules and the servers that they name. Without rules, a reading costs nothing. */
export class DeniedToolView {
  readonly #store: Store;
  readonly #readRules: ReadDenied;
  /** Null: not read yet. */
  #rules: ReadonlyMap<string, readonly string[]> | null = null;
  #text = '';
  #lookedAt = Number.NEGATIVE_INFINITY;
  #revision: number | null = null;
  #found: DeniedTools = NOTHING;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: Store, readRules: ReadDenied) {
    this.#store = store;
    this.#readRules = readRules;
  }

  /**
   * One after the other: a search beside the first reading of the rules must not go ahead without them. Throws INVALID_FILE until they
   * were read once.
   */
  read(): Promise<DeniedTools> {
    const reading = this.#last.then(() => this.#read());
    this.#last = reading.catch(() => {});
    return reading;
  }

  async #read(): Promise<DeniedTools> {
    const rules = await this.#current();
    if (rules.size === 0) return NOTHING;
    const { revision, ids } = this.#store.changes(this.#revision);
    const isTouched = (id: EntityId) => id.startsWith('virtual_server:') || rules.has(id.slice(id.indexOf(':') + 1));
    if (ids === null || ids.some(isTouched)) this.#found = await this.#find(rules);
    this.#revision = revision;
    return this.#found;
  }

  async #current(): Promise<ReadonlyMap<string, readonly string[]>> {
    const now = performance.now();
    const before = this.#rules;
    if (before !== null && now - this.#lookedAt < LOOK_MS) return before;
    // Rules that can no longer be read stay as they were, and nothing goes ahead without any: no search may show what is denied.
    const rules = await this.#readRules().catch((thrown: unknown) => {
      if (before === null) throw thrown;
      return before;
    });
    this.#lookedAt = now;
    this.#rules = rules;
    const text = JSON.stringify([...rules]);
    if (text !== this.#text) this.#revision = null;
    this.#text = text;
    return rules;
  }

  async #find(rules: ReadonlyMap<string, readonly string[]>): Promise<DeniedTools> {
    const servers: Entity[] = [];
    const named = [...rules.keys()].map((path) => entityId('mcp_server', path));
    for (const { entity } of await this.#store.getMany(named)) servers.push(entity);
    for await (const { entity } of scanRecords(this.#store, ['virtual_server'])) servers.push(entity);
    const byServer = new Map<EntityId, ReadonlySet<string>>();
    const units: UnitId[] = [];
    for (const server of servers) {
      const names = new Set(deniedOf(server, rules));
      if (names.size === 0) continue;
      byServer.set(idOf(server), names);
      for (const { id, kind, title } of unitsOf(server)) if (kind === 'tool' && names.has(title)) units.push(id);
    }
    return { byServer, units: units.length === 0 ? undefined : Object.freeze(units) };
  }
}

function deniedOf(server: Entity, rules: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const own = rules.get(server.path) ?? [];
  const names = toolsOf(server).map(({ name }) => name);
  if (server.type !== 'virtual_server') return names.filter((name) => own.includes(name));
  return names.filter((name, at) => {
    const { backend_server_path: backend, tool_name: tool } = server.tool_mappings[at]!;
    return own.includes(name) || rules.get(backend)?.includes(tool) === true;
  });
}

/** A server without the tools of these names. */
export function withoutTools<E extends Entity>(entity: E, denied: ReadonlySet<string> | undefined): E {
  if (denied === undefined) return entity;
  if (entity.type === 'mcp_server') return { ...entity, tools: entity.tools.filter(({ name }) => !denied.has(name)) };
  if (entity.type !== 'virtual_server') return entity;
  const tool_mappings = entity.tool_mappings.filter((mapping) => !denied.has(mapping.alias ?? mapping.tool_name));
  return { ...entity, tool_mappings };
}
