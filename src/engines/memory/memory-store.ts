import { type EntityId, idOf } from '../../model/entity.ts';
import { compareIds } from '../../search/retrieval/compare-ids.ts';
import { analyzeUnit } from '../../search/text/analyzed-unit.ts';
import { ChangeLog } from '../change-log.ts';
import { checkBatch, noSuchEntity } from '../check-batch.ts';
import type { Annotation, Changes, IndexedEntity, Page, ScanQuery, Store, StoredEntity } from '../store.ts';
import { WriteTurns } from '../write-turns.ts';
import { MemoryAnnotations } from './memory-annotations.ts';
import type { MemoryState } from './memory-state.ts';
import type { MemoryEntity } from './memory-unit.ts';

export class MemoryStore implements Store {
  readonly #state: MemoryState;
  readonly #now: () => Date;
  readonly #annotations = new MemoryAnnotations();
  readonly #log = new ChangeLog();
  readonly #turns = new WriteTurns();

  constructor(state: MemoryState, now: () => Date) {
    this.#state = state;
    this.#now = now;
  }

  async put(batch: readonly IndexedEntity[]): Promise<void> {
    this.#state.checkOpen();
    const { embedder, entities } = this.#state;
    checkBatch(batch, embedder);
    if (batch.length === 0) return;
    const updatedAt = this.#now().toISOString();
    const held = batch.map(({ entity, units }): [EntityId, MemoryEntity] => {
      const id = idOf(entity);
      const old = entities.get(id);
      const heldUnits = units.map((unit) => {
        const before = old?.units.find((other) => other.unit.id === unit.id);
        const vectors = new Map(before?.unit.textHash === unit.textHash ? before.vectors : []);
        if (unit.vector !== undefined) vectors.set(embedder!.id, unit.vector.slice());
        return { unit, analyzed: analyzeUnit(unit.fields), vectors };
      });
      const createdAt = old?.createdAt ?? updatedAt;
      return [id, { json: JSON.stringify(entity), createdAt, updatedAt, units: heldUnits }];
    });
    this.#annotations.put(
      batch.flatMap(({ entity, annotations = {} }) =>
        Object.entries(annotations).map(([key, value]) => ({ id: idOf(entity), key, value })),
      ),
    );
    for (const [id, entity] of held) entities.set(id, entity);
    this.#log.record(held.map(([id]) => id));
  }

  async delete(ids: readonly EntityId[]): Promise<number> {
    this.#state.checkOpen();
    const deleted = ids.filter((id) => this.#state.entities.delete(id));
    for (const id of deleted) this.#annotations.delete(id);
    this.#log.record(deleted);
    return deleted.length;
  }

  async getMany(ids: readonly EntityId[]): Promise<readonly StoredEntity[]> {
    this.#state.checkOpen();
    return ids.flatMap((id) => this.#state.read(id) ?? []);
  }

  async scan({ types, after, limit }: ScanQuery): Promise<Page> {
    this.#state.checkOpen();
    const rest = [...this.#state.entities.keys()]
      .sort(compareIds)
      .filter((id) => after === undefined || compareIds(id, after) > 0)
      .flatMap((id) => this.#state.read(id) ?? [])
      .filter(({ entity }) => types === undefined || types.includes(entity.type));
    const entities = rest.slice(0, limit);
    const last = entities.at(-1);
    return rest.length > limit && last !== undefined ? { entities, cursor: last.id } : { entities };
  }

  async annotate(annotations: readonly Annotation[]): Promise<void> {
    this.#state.checkOpen();
    const unknown = annotations.find(({ id }) => !this.#state.entities.has(id));
    if (unknown !== undefined) throw noSuchEntity(unknown.id);
    this.#annotations.put(annotations);
    this.#log.record(annotations.map(({ id }) => id));
  }

  async annotationsOf(ids: readonly EntityId[]): Promise<ReadonlyMap<EntityId, Readonly<Record<string, unknown>>>> {
    this.#state.checkOpen();
    return this.#annotations.of(ids);
  }

  async annotated(key: string): Promise<ReadonlyMap<EntityId, unknown>> {
    this.#state.checkOpen();
    return this.#annotations.withKey(key);
  }

  changes(since: number | null): Changes {
    return this.#log.since(since);
  }

  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.take(work);
  }
}
