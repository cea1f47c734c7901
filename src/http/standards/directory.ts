import { ifFound } from '../../api/if-found.ts';
import { STRANGER } from '../../model/caller.ts';
import { type EntityId, isEntityType, splitEntityId } from '../../model/entity.ts';
import type { EntityRecord, LocalRegistry, Registry } from '../../registry/registry.ts';
import { type ArdSummary, type DiscoverableRecord, toArdSummary } from '../../standards/ard-entry.ts';
import { DISCOVERABLE_TYPES, isDiscoverable } from '../../standards/ard-types.ts';
import { officialName } from '../../standards/official-name.ts';
import { versionOf } from '../../standards/server-json.ts';

export interface ListedServer {
  readonly name: string;
  readonly version: string;
  readonly summary: ArdSummary;
}

/** The public entities, by name. The lists are snapshots; the maps are updated with the registry. */
export interface Listing {
  /** Sorted by name. */
  readonly servers: readonly ListedServer[];
  readonly serverNamed: ReadonlyMap<string, ListedServer>;
  /** Sorted by key. */
  readonly entries: readonly ArdSummary[];
  readonly entryAt: ReadonlyMap<string, ArdSummary>;
  readonly entryOf: ReadonlyMap<EntityId, ArdSummary>;
}

export const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Anonymous clients see only public entities that are enabled and not drafts. */
function toListed(record: EntityRecord): DiscoverableRecord | undefined {
  const { entity } = record;
  if (!entity.is_enabled || entity.status === 'draft') return undefined;
  return isDiscoverable(entity) ? { ...record, entity } : undefined;
}

/**
 * The names of public entities in memory, a few hundred bytes each. It reads the registry once, then only new writes, so that
 * a request costs one page and not the whole catalog.
 */
export class Directory {
  readonly #changes: LocalRegistry['changes'];
  readonly #stranger: Registry;
  readonly #namespace: string;
  readonly #entryOf = new Map<EntityId, ArdSummary>();
  readonly #entryAt = new Map<string, ArdSummary>();
  readonly #serverNamed = new Map<string, ListedServer>();
  #revision: number | null = null;
  #listing: Listing | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(registry: LocalRegistry, namespace: string) {
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
    this.#listing ??= this.#sorted();
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
    this.#entryAt.set(summary.key, summary);
    if (record.entity.type !== 'mcp_server') return;
    const name = officialName(record.entity.path, this.#namespace);
    this.#serverNamed.set(name, { name, version: versionOf(summary.version), summary });
  }

  #drop(id: EntityId): void {
    const summary = this.#entryOf.get(id);
    if (summary === undefined) return;
    this.#entryOf.delete(id);
    this.#entryAt.delete(summary.key);
    if (summary.metadata.entity_type === 'mcp_server') {
      this.#serverNamed.delete(officialName(summary.metadata.path, this.#namespace));
    }
  }

  #sorted(): Listing {
    return {
      servers: [...this.#serverNamed.values()].sort((a, b) => byText(a.name, b.name)),
      serverNamed: this.#serverNamed,
      entries: [...this.#entryAt.values()].sort((a, b) => byText(a.key, b.key)),
      entryAt: this.#entryAt,
      entryOf: this.#entryOf,
    };
  }
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
