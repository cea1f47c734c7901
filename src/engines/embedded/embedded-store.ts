import type { EntityId } from '../../model/entity.ts';
import { lowerBound } from '../../search/lower-bound.ts';
import { compareIds } from '../../search/retrieval/compare-ids.ts';
import { ChangeLog } from '../change-log.ts';
import { checkBatch, noSuchEntity } from '../check-batch.ts';
import type { Annotation, Changes, IndexedEntity, Page, ScanQuery, Store, StoredEntity } from '../store.ts';
import { WriteTurns } from '../write-turns.ts';
import { analyzeAhead } from './analyze-ahead.ts';
import type { EngineState } from './engine-state.ts';
import { EntityReader } from './entity-reader.ts';
import { applyWrite, type EntityWrite, planWrites, recordWrite, storedUnit, unchangedUnits } from './entity-write.ts';

/**
 * The record is in SQLite. A write commits and updates the index synchronously, so no reader sees half a batch. It takes
 * some hundredths of a millisecond per unit and blocks everything else: keep batches to some hundreds of entities.
 */
export class EmbeddedStore implements Store {
  readonly #state: EngineState;
  readonly #entities: EntityReader;
  readonly #log = new ChangeLog();
  readonly #turns = new WriteTurns();
  readonly #now: () => Date;

  constructor(state: EngineState, now: () => Date) {
    this.#state = state;
    this.#entities = new EntityReader(state.record, state.index.table);
    this.#now = now;
  }

  async put(batch: readonly IndexedEntity[]): Promise<void> {
    this.#state.checkOpen();
    const { record, index } = this.#state;
    const analyzed = await analyzeAhead(batch, unchangedUnits(index.table, record));
    this.#state.checkOpen();
    const embedder = index.serving?.embedder ?? null;
    checkBatch(batch, embedder);
    if (batch.length === 0) return;
    const writes = planWrites(batch, index.table, record, analyzed);
    index.serving?.reserve(rowsWithVectors(writes));
    const now = this.#now().toISOString();
    record.write((seq) => {
      for (const write of writes) recordWrite(write, record, embedder, now, seq);
    });
    for (const write of writes) {
      applyWrite(write, index);
      this.#entities.forget(write.entity);
      this.#state.countChanges(write.units.length + write.gone.length);
    }
    this.#log.record(writes.map(({ entity }) => entity.facts.id));
  }

  async delete(ids: readonly EntityId[]): Promise<number> {
    this.#state.checkOpen();
    const { record, index } = this.#state;
    const found = [...new Set(ids)].flatMap((id) => index.table.entity(id) ?? []);
    if (found.length === 0) return 0;
    const texts = found.flatMap(({ units }) => units.map(({ row }) => ({ row, before: storedUnit(record, row) })));
    record.write(() => {
      for (const { no } of found) record.deleteEntity(no);
    });
    for (const { row, before } of texts) index.removeText(row, before);
    for (const entity of found) {
      index.deleteEntity(entity.facts.id);
      this.#entities.forget(entity);
    }
    this.#state.countChanges(texts.length);
    this.#log.record(found.map(({ facts }) => facts.id));
    return found.length;
  }

  async getMany(ids: readonly EntityId[]): Promise<readonly StoredEntity[]> {
    this.#state.checkOpen();
    return this.#entities.getMany(ids);
  }

  async scan({ types, after, limit }: ScanQuery): Promise<Page> {
    this.#state.checkOpen();
    const { table } = this.#state.index;
    const ids = table.sortedIds();
    const found: EntityId[] = [];
    for (let at = after === undefined ? 0 : lowerBound(ids, after); at < ids.length && found.length <= limit; at++) {
      const id = ids[at]!;
      if (id !== after && (types === undefined || types.includes(table.entity(id)!.facts.type))) found.push(id);
    }
    const page = found.slice(0, limit);
    const entities = this.#entities.getMany(page);
    const last = page.at(-1);
    return found.length > limit && last !== undefined ? { entities, cursor: last } : { entities };
  }

  async annotate(annotations: readonly Annotation[]): Promise<void> {
    this.#state.checkOpen();
    const { record, index } = this.#state;
    const numbered = annotations.map(({ id, key, value }) => {
      const entity = index.table.entity(id);
      if (entity === undefined) throw noSuchEntity(id);
      return { no: entity.no, key, value };
    });
    record.annotate(numbered);
    this.#log.record(annotations.map(({ id }) => id));
  }

  async annotationsOf(ids: readonly EntityId[]): Promise<ReadonlyMap<EntityId, Readonly<Record<string, unknown>>>> {
    this.#state.checkOpen();
    const { record, index } = this.#state;
    const found = new Map<EntityId, Readonly<Record<string, unknown>>>();
    for (const id of ids) {
      const entity = index.table.entity(id);
      const notes = entity === undefined ? {} : record.annotationsOf(entity.no);
      if (Object.keys(notes).length > 0) found.set(id, notes);
    }
    return found;
  }

  async annotated(key: string): Promise<ReadonlyMap<EntityId, unknown>> {
    this.#state.checkOpen();
    return new Map([...this.#state.record.annotated(key)].sort(([a], [b]) => compareIds(a, b)));
  }

  changes(since: number | null): Changes {
    return this.#log.since(since);
  }

  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.take(work);
  }
}

function* rowsWithVectors(writes: readonly EntityWrite[]): Generator<number> {
  for (const { units } of writes) for (const { unit, row } of units) if (unit.vector !== undefined) yield row.row;
}
