import { type EntityId, idOf } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { compareIds } from '../../search/retrieval/compare-ids.ts';
import { lowerBound } from '../../search/rows/lower-bound.ts';
import { ChangeLog } from '../change-log.ts';
import { checkBatch, noSuchEntity } from '../check-batch.ts';
import type { Sliced } from '../in-slices.ts';
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
import {
  applyWrite,
  type DeletedUnit,
  type EntityWrite,
  planWrites,
  recordWrite,
  storedUnits,
  textsOf,
  unchangedUnits,
} from './entity-write.ts';
import type { RowText } from './index/row-index.ts';
import type { EntityRow } from './index/unit-table.ts';
import { STEP_CHARS, WorkSlices } from './work-slices.ts';

/**
 * Made for 1 million units, and supported up to 2. Nothing near this number was measured: a write is refused here so that a
 * process does not run out of memory in the middle of one.
 */
const MAX_UNITS = 3_500_000;

interface Deletion {
  readonly entity: EntityRow;
  readonly units: readonly DeletedUnit[];
}

interface NumberedAnnotation extends Annotation {
  readonly no: number;
}

/** Everything that one write changes. */
interface WholeWrite {
  readonly writes: readonly EntityWrite[];
  readonly deletions: readonly Deletion[];
  readonly annotations: readonly NumberedAnnotation[];
}

/**
 * The record is in SQLite. A write is planned, indexed aside and recorded in slices, and a small one is one slice. After the
 * commit, one slice switches the index and what readers see of the record, so no reader sees half a batch.
 */
export class EmbeddedStore implements Store {
  readonly #state: EngineState;
  readonly #entities: EntityReader;
  readonly #annotations: AnnotationReader;
  readonly #log = new ChangeLog();
  readonly #turns = new WriteTurns();
  readonly #now: () => Date;
  readonly #maxUnits: number;

  constructor(state: EngineState, now: () => Date, maxUnits = MAX_UNITS) {
    this.#maxUnits = maxUnits;
    this.#state = state;
    this.#entities = new EntityReader(state.record, state.index.table);
    this.#annotations = new AnnotationReader(state.record.annotations, state.index.table);
    this.#now = now;
  }

  async put(batch: readonly IndexedEntity[], also: AlsoWritten = {}): Promise<void> {
    const analyzed = await this.analyze(batch);
    await this.#state.write(() => {
      this.checkRoom(batch, also.gone);
      return this.putInSlices(batch, also, analyzed);
    });
  }

  /** Throws STORE_FULL for a batch that adds units beyond what an index holds. Copies of a record that holds more go on. */
  checkRoom(batch: readonly IndexedEntity[], gone: readonly EntityId[] = []): void {
    const { table } = this.#state.index;
    const replaced = [...batch.map(({ entity }) => idOf(entity)), ...gone];
    const removed = replaced.reduce((sum, id) => sum + (table.entity(id)?.units.length ?? 0), 0);
    const added = batch.reduce((sum, { units }) => sum + units.length, 0);
    const units = table.unitCount - removed + added;
    if (units <= this.#maxUnits || added <= removed) return;
    throw new DowserError('STORE_FULL', `The index would have ${units} units: it holds ${this.#maxUnits} at most.`, {
      hint: 'Use several registries, each with a part of the entities. Nothing of this write was stored.',
    });
  }

  /** The part of `put` that takes most of its time. */
  analyze(batch: readonly IndexedEntity[]): Promise<AnalyzedAhead> {
    this.#state.checkOpen();
    const { record, index } = this.#state;
    return analyzeAhead(batch, unchangedUnits(index.table, record));
  }

  /** The rest of `put`. Call it in the turn of a write. */
  *putInSlices(
    batch: readonly IndexedEntity[],
    { gone = [], annotations = [] }: AlsoWritten = {},
    analyzed?: AnalyzedAhead,
  ): Sliced<void> {
    const { record, index } = this.#state;
    yield* checkBatch(batch, index.serving?.embedder ?? null, gone);
    const writes = yield* planWrites(batch, index.table, record, analyzed);
    index.serving?.reserve(rowsWithVectors(writes));
    const deletions = yield* this.#deletions(gone);
    yield* this.#write({ writes, deletions, annotations: this.#numbered(annotations) });
  }

  delete(ids: readonly EntityId[]): Promise<number> {
    return this.#state.write(() => this.deleteInSlices(ids));
  }

  /** Call it in the turn of a write. */
  *deleteInSlices(ids: readonly EntityId[]): Sliced<number> {
    const deletions = yield* this.#deletions(ids);
    yield* this.#write({ writes: [], deletions, annotations: [] });
    return deletions.length;
  }

  *#deletions(ids: readonly EntityId[]): Sliced<readonly Deletion[]> {
    const { record, index } = this.#state;
    const slices = new WorkSlices();
    const deletions: Deletion[] = [];
    for (const id of new Set(ids)) {
      const entity = index.table.entity(id);
      if (entity !== undefined) deletions.push({ entity, units: yield* storedUnits(record, entity.units, slices) });
    }
    return deletions;
  }

  /** One transaction. Readers see it with the index: both change in the same tick. */
  *#write(whole: WholeWrite): Sliced<void> {
    const { writes, deletions, annotations } = whole;
    if (writes.length + deletions.length + annotations.length === 0) return;
    const { record, index } = this.#state;
    const texts = yield* index.prepareTexts([...textsIn(whole)]);
    let isCommitted = false;
    try {
      yield* record.writeInSlices(
        (seq) => this.#record(whole, seq),
        () => {
          isCommitted = true;
          texts.apply();
          this.#apply(whole);
        },
      );
    } finally {
      if (!isCommitted) texts.discard();
    }
    yield* texts.sweep();
    this.#state.written();
  }

  *#record({ writes, deletions, annotations }: WholeWrite, seq: number): Sliced<void> {
    const { record, index } = this.#state;
    const embedder = index.serving?.embedder ?? null;
    const now = this.#now().toISOString();
    const slices = new WorkSlices();
    for (const write of writes) yield* recordWrite(write, record, { embedder, now, seq, slices });
    for (const { no, key, value } of annotations) {
      record.annotations.put(no, key, value);
      if (slices.isOver(0)) yield;
    }
    for (const { entity, units } of deletions) {
      record.deleteEntity(entity.no);
      if (slices.isOver(units.length * STEP_CHARS)) yield;
    }
    // The commit is a slice of its own.
    if (slices.hasYielded) yield;
  }

  #apply({ writes, deletions, annotations }: WholeWrite): void {
    const { index } = this.#state;
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
    for (const { entity, units } of deletions) {
      index.deleteEntity(entity.facts.id);
      this.#entities.forget(entity);
      this.#state.countChanges(units.length);
    }
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

  annotate(annotations: readonly Annotation[]): Promise<void> {
    return this.#state.write(() => this.putInSlices([], { annotations }));
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

function* textsIn({ writes, deletions }: WholeWrite): Generator<RowText> {
  for (const write of writes) yield* textsOf(write);
  for (const { units } of deletions) for (const unit of units) yield { ...unit, cardRow: unit.row, after: null };
}
