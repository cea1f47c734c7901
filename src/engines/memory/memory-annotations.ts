import type { EntityId } from '../../model/entity.ts';
import { compareIds } from '../../search/retrieval/compare-ids.ts';
import type { Annotation } from '../store.ts';

/** The annotations of the reference engine. They are kept as JSON, so that nobody can change what is held. */
export class MemoryAnnotations {
  readonly #notes = new Map<EntityId, ReadonlyMap<string, string>>();

  /** All of them or, where one is no JSON, none. */
  put(annotations: readonly Annotation[]): void {
    const changed = new Map<EntityId, Map<string, string>>();
    for (const { id, key, value } of annotations) {
      const notes = changed.get(id) ?? new Map(this.#notes.get(id));
      if (value === null) notes.delete(key);
      else notes.set(key, JSON.stringify(value));
      changed.set(id, notes);
    }
    for (const [id, notes] of changed) this.#notes.set(id, notes);
  }

  delete(id: EntityId): void {
    this.#notes.delete(id);
  }

  clear(): void {
    this.#notes.clear();
  }

  /** Entities without any are left out. */
  of(ids: readonly EntityId[]): ReadonlyMap<EntityId, Readonly<Record<string, unknown>>> {
    const found = new Map<EntityId, Record<string, unknown>>();
    for (const id of ids) {
      const notes = [...(this.#notes.get(id) ?? [])].map(([key, json]) => [key, JSON.parse(json)] as const);
      if (notes.length > 0) found.set(id, Object.fromEntries(notes));
    }
    return found;
  }

  /** In the order of the entities' ids. */
  withKey(key: string): ReadonlyMap<EntityId, unknown> {
    const found = new Map<EntityId, unknown>();
    for (const id of [...this.#notes.keys()].sort(compareIds)) {
      const json = this.#notes.get(id)?.get(key);
      if (json !== undefined) found.set(id, JSON.parse(json));
    }
    return found;
  }
}
