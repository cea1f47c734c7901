import { type EntityId, idOf } from '../../model/entity.ts';
import { compareIds } from '../../search/retrieval/compare-ids.ts';
import { analyzeUnit } from '../../search/text/analyzed-unit.ts';
import { ChangeLog } from '../change-log.ts';
import { checkBatch, noSuchEntity } from '../check-batch.ts';
import { atOnce } from '../in-slices.ts';
import type {
  AlsoWritten,
  Annotation,
  Changes,
  IndexedEntity,
  Page,
  ScanQuery,
  Store,
  StoredEntity,
} from '../store.ts';
import { WriteTurns } from '../write-turns.ts';
import type { MemoryEntity, MemoryState } from './memory-state.ts';

export class MemoryStore implements Store {
  readonly #state: MemoryState;
  readonly #now: () => Date;
  readonly #log = new ChangeLog();
  readonly #turns = new WriteTurns();

  constructor(state: MemoryState, now: () => Date) {
    this.#state = state;
    this.#now = now;
  }

  async put(batch: readonly IndexedEntity[], { gone = [], annotations: notes = [] }: AlsoWritten = {}): Promise<void> {
    this.#state.checkOpen();
    const { embedder, entities } = this.#state;
    atOnce(checkBatch(batch, embedder, gone));
    for (const { id } of notes) if (!entities.has(id)) throw noSuchEntity(id);
    const now = this.#now().toISOString();
    const held = batch.map((put): [EntityId, MemoryEntity] => {
      const { entity, units, annotations = {}, updatedAt = now } = put;
      const id = idOf(entity);
      const old = entities.get(id);
      const heldUnits = units.map((unit) => {
        const before = old?.units.find((other) => other.unit.id === unit.id);
        const vectors = new Map(before?.unit.textHash === unit.textHash ? before.vectors : []);
        if (unit.vector !== undefined) vectors.set(embedder!.id, unit.vector.slice());
        return { unit, analyzed: analyzeUnit(unit.fields), vectors };
      });
      const createdAt = put.createdAt ?? old?.createdAt ?? now;
      const kept = withNotes(old?.annotations, annotations);
      return [id, { json: JSON.stringify(entity), createdAt, updatedAt, units: heldUnits, annotations: kept }];
    });
    for (const [id, entity] of held) entities.set(id, entity);
    for (const [id, entity] of this.#withAnnotations(notes)) entities.set(id, entity);
    const deleted = gone.filter((id) => entities.delete(id));
    this.#log.record([...held.map(([id]) => id), ...notes.map(({ id }) => id), ...deleted]);
  }

  async delete(ids: readonly EntityId[]): Promise<number> {
    this.#state.checkOpen();
    const deleted = ids.filter((id) => this.#state.entities.delete(id));
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
    for (const [id, entity] of this.#withAnnotations(annotations)) this.#state.entities.set(id, entity);
    this.#log.record(annotations.map(({ id }) => id));
  }

  #withAnnotations(annotations: readonly Annotation[]): ReadonlyMap<EntityId, MemoryEntity> {
    const changed = new Map<EntityId, MemoryEntity>();
    for (const { id, key, value } of annotations) {
      const entity = changed.get(id) ?? this.#state.entities.get(id);
      if (entity === undefined) throw noSuchEntity(id);
      changed.set(id, { ...entity, annotations: withNotes(entity.annotations, { [key]: value }) });
    }
    return changed;
  }

  async annotationsOf(ids: readonly EntityId[]): Promise<ReadonlyMap<EntityId, Readonly<Record<string, unknown>>>> {
    this.#state.checkOpen();
    const notes = ids.map((id) => [id, [...(this.#state.entities.get(id)?.annotations ?? [])]] as const);
    const found = notes.filter(([, entries]) => entries.length > 0);
    return new Map(
      found.map(([id, entries]) => [id, Object.fromEntries(entries.map(([key, json]) => [key, JSON.parse(json)]))]),
    );
  }

  async annotated(key: string): Promise<ReadonlyMap<EntityId, unknown>> {
    this.#state.checkOpen();
    const found = [...this.#state.entities].filter(([, { annotations }]) => annotations.has(key));
    found.sort(([a], [b]) => compareIds(a, b));
    return new Map(found.map(([id, { annotations }]) => [id, JSON.parse(annotations.get(key)!)]));
  }

  changes(since: number | null): Changes {
    return this.#log.since(since);
  }

  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.take(work);
  }
}

function withNotes(old: MemoryEntity['annotations'] | undefined, changes: Readonly<Record<string, unknown>>) {
  const notes = new Map(old);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) notes.delete(key);
    else notes.set(key, JSON.stringify(value));
  }
  return notes;
}
