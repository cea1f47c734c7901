import { ifFound } from '../../api/wire/if-found.ts';
import { STRANGER } from '../../model/caller/caller.ts';
import { type EntityId, isEntityType, splitEntityId } from '../../model/entity.ts';
import type { EntityRecord, LocalRegistry, Registry } from '../../registry/contract/registry.ts';
import { type ArdSummary, type DiscoverableRecord, toArdSummary } from '../../standards/ard/ard-entry.ts';
import { DISCOVERABLE_TYPES, isDiscoverable } from '../../standards/ard/ard-types.ts';
import { officialName, officialNames } from '../../standards/official/official-name.ts';
import { versionOf } from '../../standards/official/server-json.ts';
import { isListed } from '../../standards/text/is-listed.ts';
import { type DelistedServer, NameLedger } from './name-ledger.ts';

export interface ListedServer {
  readonly name: string;
  readonly version: string;
  readonly summary: ArdSummary;
}

/** The public entities, by name: a snapshot. */
export interface Listing {
  /** Sorted by name. */
  readonly servers: readonly ListedServer[];
  readonly serverNamed: ReadonlyMap<string, ListedServer>;
  readonly serverAt: ReadonlyMap<string, ListedServer>;
  /** Servers that were listed before, sorted by name. */
  readonly delisted: readonly DelistedServer[];
  /** Sorted by key. */
  readonly entries: readonly ArdSummary[];
  /** By identifier of its publisher, or by key. */
  readonly entryAt: ReadonlyMap<string, ArdSummary>;
  readonly entryOf: ReadonlyMap<EntityId, ArdSummary>;
}

export const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function toListed(record: EntityRecord): DiscoverableRecord | undefined {
  const { entity } = record;
  return isListed(entity) && isDiscoverable(entity) ? { ...record, entity } : undefined;
}

/**
 * The names of public entities in memory, a few hundred bytes each. It reads the registry once, then only new writes, so that
 * a request costs one page and not the whole catalog.
 */
export class Directory {
  readonly #changes: LocalRegistry['changes'];
  readonly #stranger: Registry;
  readonly #namespace: string;
  readonly #ledger: NameLedger;
  readonly #entryOf = new Map<EntityId, ArdSummary>();
  /** The names that owners have set. */
  readonly #setNames = new Map<EntityId, string>();
  /** By path. */
  readonly #derivedNames = new Map<string, string>();
  #revision: number | null = null;
  #listing: Listing | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(registry: LocalRegistry, namespace: string, ledger = new NameLedger()) {
    this.#ledger = ledger;
    this.#changes = registry.changes;
    this.#stranger = registry.as(STRANGER);
    this.#namespace = namespace;
  }

  /** Includes every write before the call. */
  listing(): Promise<Listing> {
    const update = () => this.#update();
    const turn = this.#last.then(update, update);
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** The entity of a name. Undefined if it was deleted or hidden since the listing. */
  read({ id }: ArdSummary): Promise<DiscoverableRecord | undefined> {
    return this.#find(id);
  }

  async #update(): Promise<Listing> {
    const { revision, ids } = this.#changes(this.#revision);
    if (ids === null) {
      const read: DiscoverableRecord[] = [];
      for await (const record of this.#stranger.all(DISCOVERABLE_TYPES)) {
        const listed = toListed(record);
        if (listed !== undefined) read.push(listed);
      }
      for (const id of [...this.#entryOf.keys()]) this.#drop(id);
      for (const record of read) this.#add(record);
      this.#listing = undefined;
    } else {
      for (const id of new Set(ids)) {
        if (!(DISCOVERABLE_TYPES as readonly string[]).includes(splitEntityId(id).type)) continue;
        const listed = await this.#find(id);
        this.#drop(id);
        if (listed !== undefined) this.#add(listed);
        this.#listing = undefined;
      }
    }
    this.#revision = revision;
    this.#listing ??= await this.#sorted();
    return this.#listing;
  }

  async #find(id: EntityId): Promise<DiscoverableRecord | undefined> {
    const { type, path } = splitEntityId(id);
    if (!isEntityType(type)) return undefined;
    const record = await ifFound(this.#stranger.get(type, path));
    // `get` also finds the path with a leading slash, which is another entity here.
    return record?.entity.path === path ? toListed(record) : undefined;
  }

  #add(record: DiscoverableRecord): void {
    const summary = toArdSummary(record);
    this.#entryOf.set(summary.id, summary);
    const { entity } = record;
    if (entity.type === 'mcp_server' && entity.official_name !== undefined)
      this.#setNames.set(summary.id, entity.official_name);
  }

  #drop(id: EntityId): void {
    const summary = this.#entryOf.get(id);
    if (summary === undefined) return;
    this.#entryOf.delete(id);
    this.#setNames.delete(id);
    this.#derivedNames.delete(summary.metadata.path);
  }

  /** Some names need a checksum: each is computed once. */
  #nameOf(path: string): string {
    const name = this.#derivedNames.get(path) ?? officialName(path, this.#namespace);
    this.#derivedNames.set(path, name);
    return name;
  }

  #servers(): readonly ListedServer[] {
    const summaries = [...this.#entryOf.values()].filter(({ metadata }) => metadata.entity_type === 'mcp_server');
    const names = officialNames(
      summaries.map(({ id, metadata: { path } }) => ({ path, official_name: this.#setNames.get(id) })),
      this.#namespace,
      (path) => this.#nameOf(path),
    );
    const servers = summaries.map((summary) => ({
      name: names.get(summary.metadata.path)!,
      version: versionOf(summary.version),
      summary,
    }));
    return servers.sort((a, b) => byText(a.name, b.name));
  }

  /** Each route pays only for the lists that it reads. */
  async #sorted(): Promise<Listing> {
    const servers = this.#servers();
    const delisted = await this.#ledger.note(servers);
    const summaries = [...this.#entryOf.values()];
    const serverNamed = once(() => new Map(servers.map((server) => [server.name, server])));
    const serverAt = once(() => new Map(servers.map((server) => [server.summary.metadata.path, server])));
    const entries = once(() => ownIdentifiers(summaries.sort((a, b) => byText(a.key, b.key))));
    const entryAt = once(() => new Map(entries().map((entry) => [entry.identifier ?? entry.key, entry])));
    const entryOf = once(() => new Map(entries().map((entry) => [entry.id, entry])));
    return {
      servers,
      delisted,
      get serverNamed() {
        return serverNamed();
      },
      get serverAt() {
        return serverAt();
      },
      get entries() {
        return entries();
      },
      get entryAt() {
        return entryAt();
      },
      get entryOf() {
        return entryOf();
      },
    };
  }
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Each identifier belongs to one entry: the first that has it. Another one gets an identifier of this registry. */
function ownIdentifiers(entries: readonly ArdSummary[]): readonly ArdSummary[] {
  const taken = new Set<string>();
  return entries.map((entry) => {
    const { identifier } = entry;
    if (identifier === undefined) return entry;
    if (taken.has(identifier)) return { ...entry, identifier: undefined };
    taken.add(identifier);
    return entry;
  });
}

/** The index of the first item after `after` in a list sorted by `textOf`. */
export function firstAfter<T>(sorted: readonly T[], after: string, textOf: (item: T) => string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (textOf(sorted[middle]!) <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}
