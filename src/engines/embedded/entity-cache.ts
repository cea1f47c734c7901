import type { EntityId } from '../../model/entity.ts';
import type { StoredEntity } from '../engine.ts';

const MAX_ENTITIES = 8192;
/** Of JSON, in characters: a few huge documents must not fill the memory. */
const MAX_CHARS = 16_000_000;

/**
 * Documents read lately, so that the page of results just shown is not parsed again. Least recently used go first.
 * Every caller gets the same object, so it is frozen: a change would show up in the answers of others.
 */
export class EntityCache {
  readonly #entries = new Map<EntityId, { readonly entity: StoredEntity; readonly chars: number }>();
  #chars = 0;

  get(id: EntityId): StoredEntity | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    return entry.entity;
  }

  /** Freezes the entity. `chars` is the size of its JSON. */
  set(entity: StoredEntity, chars: number): void {
    this.delete(entity.id);
    freeze(entity);
    this.#entries.set(entity.id, { entity, chars });
    this.#chars += chars;
    for (const id of this.#entries.keys()) {
      if (this.#entries.size <= MAX_ENTITIES && this.#chars <= MAX_CHARS) break;
      this.delete(id);
    }
  }

  delete(id: EntityId): void {
    this.#chars -= this.#entries.get(id)?.chars ?? 0;
    this.#entries.delete(id);
  }
}

function freeze(value: unknown): void {
  if (value === null || typeof value !== 'object') return;
  for (const part of Object.values(value)) freeze(part);
  Object.freeze(value);
}
