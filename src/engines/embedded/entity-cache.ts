import type { EntityId } from '../../model/entity.ts';

export interface EntityCacheLimits {
  readonly maxEntities: number;
  /** Of JSON, in characters: a few huge documents must not fill the memory. */
  readonly maxChars: number;
}

/** A character of JSON takes one and a half to three bytes once it is parsed: some 100 MB at most. */
const LIMITS: EntityCacheLimits = { maxEntities: 131_072, maxChars: 40_000_000 };

interface Entry<T> {
  readonly entity: T;
  readonly chars: number;
  /** How many entities had come in when this one was put last in line. */
  since: number;
}

/**
 * Documents read lately, so that the page of results just shown is not parsed again. Least recently used go first; what is
 * used while it stands in the newer half of the line keeps its place, because moving it would cost more than finding it.
 */
export class EntityCache<T extends { readonly id: EntityId }> {
  /** First to go, first in line. */
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

  /** `chars` is the size of its JSON. */
  set(entity: T, chars: number): void {
    if (this.#entries.has(entity.id)) this.delete(entity.id);
    const { maxEntities, maxChars } = this.#limits;
    // It would push everything else out and then have to go itself.
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
