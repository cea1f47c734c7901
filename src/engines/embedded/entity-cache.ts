import type { EntityId } from '../../model/entity.ts';

export interface EntityCacheLimits {
  readonly maxEntities: number;
  /** Characters of JSON: a few huge documents must not fill the memory. */
  readonly maxChars: number;
}

/** A parsed character of JSON takes 1.5 to 3 bytes, so about 100 MB at most. */
const LIMITS: EntityCacheLimits = { maxEntities: 131_072, maxChars: 40_000_000 };

interface Entry<T> {
  readonly entity: T;
  readonly chars: number;
  /** The value of `#entered` when this entry was last moved to the end. */
  since: number;
}

/**
 * Caches parsed documents, so that the same page of results is not parsed again. Evicts the least recently used first. An
 * entry in the newer half keeps its place when it is used, because moving it costs more than finding it.
 */
export class EntityCache<T extends { readonly id: EntityId }> {
  /** The least recently used first. */
  readonly #entries = new Map<EntityId, Entry<T>>();
  readonly #limits: EntityCacheLimits;
  #chars = 0;
  #entered = 0;

  constructor(limits: EntityCacheLimits = LIMITS) {
    this.#limits = limits;
  }

  get(id: EntityId): T | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    if (this.#entered - entry.since > this.#entries.size / 2) {
      entry.since = this.#entered;
      this.#entries.delete(id);
      this.#entries.set(id, entry);
    }
    return entry.entity;
  }

  /** `chars`: the length of its JSON. */
  set(entity: T, chars: number): void {
    if (this.#entries.has(entity.id)) this.delete(entity.id);
    const { maxEntities, maxChars } = this.#limits;
    // It would evict everything else and then itself.
    if (chars > maxChars) return;
    this.#entries.set(entity.id, { entity, chars, since: ++this.#entered });
    this.#chars += chars;
    for (const id of this.#entries.keys()) {
      if (this.#entries.size <= maxEntities && this.#chars <= maxChars) break;
      this.delete(id);
    }
  }

  delete(id: EntityId): void {
    this.#chars -= this.#entries.get(id)?.chars ?? 0;
    this.#entries.delete(id);
  }
}
