import type { EntityId } from '../../model/entity.ts';
import { lowerBound } from '../../search/lower-bound.ts';
import { compareIds } from '../../search/retrieval/compare-ids.ts';
import type { AnalyzedUnit } from '../../search/text/analyzed-unit.ts';
import { ChangeLog } from '../change-log.ts';
import { checkBatch, noSuchEntity } from '../check-batch.ts';
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
import { type AnalyzedAhead, analyzeAhead } from './analyze-ahead.ts';
import { AnnotationReader } from './annotation-reader.ts';
import type { EngineState } from './engine-state.ts';
import { EntityReader } from './entity-reader.ts';
import { applyWrite, type EntityWrite, planWrites, recordWrite, storedUnit, unchangedUnits } from './entity-write.ts';
import type { EntityRow } from './unit-table.ts';

interface Deletion {
  readonly entity: EntityRow;
  readonly texts: readonly { readonly row: number; readonly before: AnalyzedUnit }[];
}

interface NumberedAnnotation extends Annotation {
  readonly no: number;
}

/**
 * The record is in SQLite. A write commits and updates the index synchronously, so no reader sees half a batch. It takes
 * some hundredths of a millisecond per unit and blocks everything else: keep batches to some hundreds of entities.
 */
export class EmbeddedStore implements Store {
  readonly #state: EngineState;
  readonly #entities: EntityReader;
  readonly #annotations: AnnotationReader;
  readonly #log = new ChangeLog();
  readonly #turns = new WriteTurns();
  readonly #now: () => Date;

  constructor(state: EngineState, now: () => Date) {
    this.#state = state;
    this.#entities = new EntityReader(state.record, state.index.table);
    this.#annotations = new AnnotationReader(state.record.annotations, state.index.table);
    this.#now = now;
  }

  async put(batch: readonly IndexedEntity[], { gone = [], annotations = [] }: AlsoWritten = {}): Promise<void> {
    const analyzed = await this.analyze(batch);
    this.putNow(batch, { gone, annotations }, analyzed);
  }

  /** The part of `put` that takes most of its time. It does not block. */
  analyze(batch: readonly IndexedEntity[]): Promise<AnalyzedAhead> {
    this.#state.checkOpen();
    const { record, index } = this.#state;
    return analyzeAhead(batch, unchangedUnits(index.table, record));
  }

  /** The rest of `put`, in one tick. */
  putNow(
    batch: readonly IndexedEntity[],
    { gone = [], annotations = [] }: AlsoWritten,
    analyzed?: AnalyzedAhead,
  ): void {
    this.#state.checkOpen();
    const { record, index } = this.#state;
    checkBatch(batch, index.serving?.embedder ?? null);
    const writes = planWrites(batch, index.table, record, analyzed);
    index.serving?.reserve(rowsWithVectors(writes));
    this.#write(writes, this.#deletions(gone), this.#numbered(annotations));
  }

  async delete(ids: readonly EntityId[]): Promise<number> {
    return this.deleteNow(ids);
  }

  /** In one tick. */
  deleteNow(ids: readonly EntityId[]): number {
    this.#state.checkOpen();
    const deletions = this.#deletions(ids);
    this.#write([], deletions, []);
    return deletions.length;
  }

  #deletions(ids: readonly EntityId[]): readonly Deletion[] {
    const { record, index } = this.#state;
    const found = [...new Set(ids)].flatMap((id) => index.table.entity(id) ?? []);
    return found.map((entity) => ({
      entity,
      texts: entity.units.map(({ row }) => ({ row, before: storedUnit(record, row) })),
    }));
  }

  /** One transaction, then the index in the same tick. */
  #write(
    writes: readonly EntityWrite[],
    deletions: readonly Deletion[],
    annotations: readonly NumberedAnnotation[],
  ): void {
    if (writes.length + deletions.length + annotations.length === 0) return;
    const { record, index } = this.#state;
    const embedder = index.serving?.embedder ?? null;
    const now = this.#now().toISOString();
    record.write((seq) => {
      for (const write of writes) recordWrite(write, record, embedder, now, seq);
      for (const { no, key, value } of annotations) record.annotations.put(no, key, value);
      for (const { entity } of deletions) record.deleteEntity(entity.no);
    });
    const ids = [
      ...writes.map(({ entity }) => entity.facts.id),
      ...annotations.map(({ id }) => id),
      ...deletions.map(({ entity }) => entity.facts.id),
    ];
    for (const id of ids) this.#annotations.forget(id);
    for (const write of writes) {
      applyWrite(write, index);
      this.#entities.forget(write.entity);
      this.#state.countChanges(write.units.length + write.gone.length);
    }
    for (const { entity, texts } of deletions) {
      for (const { row, before } of texts) index.removeText(row, before);
      index.deleteEntity(entity.facts.id);
      this.#entities.forget(entity);
      this.#state.countChanges(texts.length);
    }
    this.#state.written();
    this.#log.record(ids);
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
    this.#write([], [], this.#numbered(annotations));
  }

  #numbered(annotations: readonly Annotation[]): readonly NumberedAnnotation[] {
    return annotations.map((annotation) => {
      const entity = this.#state.index.table.entity(annotation.id);
      if (entity === undefined) throw noSuchEntity(annotation.id);
      return { ...annotation, no: entity.no };
    });
  }

  async annotationsOf(ids: readonly EntityId[]): Promise<ReadonlyMap<EntityId, Readonly<Record<string, unknown>>>> {
    this.#state.checkOpen();
    return this.#annotations.getMany(ids);
  }

  async annotated(key: string): Promise<ReadonlyMap<EntityId, unknown>> {
    this.#state.checkOpen();
    return new Map([...this.#state.record.annotations.withKey(key)].sort(([a], [b]) => compareIds(a, b)));
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
