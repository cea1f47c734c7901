import { statSync } from 'node:fs';
import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import type { EntityId } from '../../model/entity.ts';
import { DowserError } from '../../model/errors.ts';
import { FIELDS, type Field, type UnitId } from '../../model/unit.ts';
import { holdsPhrase } from '../../search/identifier/holds-phrase.ts';
import type { Holders } from '../../search/identifier/read-query.ts';
import type { Asked } from '../../search/ranking/join.ts';
import { compareIds, type RankedList, type UnitRef } from '../../search/ranking/ranked-list.ts';
import { checkBatch, checkDimensions, noSuchEntity } from '../check-batch.ts';
import type {
  Annotation,
  Engine,
  EngineCapabilities,
  EngineStats,
  IndexedEntity,
  Inspection,
  InspectQuery,
  KeywordQuery,
  Page,
  PendingUnit,
  ScanQuery,
  ShownEntity,
  StaleVector,
  StoredEntity,
  UnitVector,
  VectorQuery,
} from '../engine.ts';
import { EntityReader } from './entity-reader.ts';
import { applyWrite, planWrites, recordWrite, storedUnit } from './entity-write.ts';
import type { RecordStore } from './record/record-store.ts';
import type { SearchIndex } from './search-index.ts';
import { VectorUpkeep } from './vector-upkeep.ts';

export interface EmbeddedEngineParts {
  readonly record: RecordStore;
  readonly index: SearchIndex;
  readonly now: () => Date;
  /** Files whose sizes make up `stats().bytes`. */
  readonly files: readonly string[];
  /** Called once, on `close`, with the number of units written by this engine. */
  readonly onClose: (changes: number) => void;
}

/** Units with all the words of a phrase whose text is read to see whether they stand in its order. */
const MAX_PHRASES_READ = 200;

/**
 * The record is in SQLite; what is searched is in memory and follows it. Writes are synchronous inside: the record
 * commits and the index is brought up to date before anything else of this process runs, so no reader sees half a batch.
 * A write costs about a tenth of a millisecond for each unit, during which nothing else is answered: keep batches to some
 * hundreds of entities.
 */
export class EmbeddedEngine implements Engine {
  readonly name = 'embedded';
  readonly capabilities: EngineCapabilities = {
    durable: true,
    // Among very many rows a sketch picks the candidates first.
    exactVectors: false,
    substringBoost: true,
    explains: true,
  };
  readonly #record: RecordStore;
  readonly #index: SearchIndex;
  readonly #now: () => Date;
  readonly #files: readonly string[];
  readonly #onClose: (changes: number) => void;
  readonly #upkeep: VectorUpkeep;
  readonly #entities: EntityReader;
  #changes = 0;
  /** By the embedder asked about. Empty after a write: counting at every search would cost more than the filter. */
  readonly #stats = new Map<string | undefined, EngineStats>();
  #isClosed = false;

  constructor(parts: EmbeddedEngineParts) {
    this.#record = parts.record;
    this.#index = parts.index;
    this.#upkeep = new VectorUpkeep(parts.record, parts.index);
    this.#entities = new EntityReader(parts.record, parts.index.table);
    this.#now = parts.now;
    this.#files = parts.files;
    this.#onClose = parts.onClose;
  }

  get embedder(): EmbedderIdentity | null {
    return this.#index.serving?.embedder ?? null;
  }

  get building(): EmbedderIdentity | null {
    return this.#index.building?.embedder ?? null;
  }

  async put(batch: readonly IndexedEntity[]): Promise<void> {
    this.#checkOpen();
    checkBatch(batch, this.embedder);
    if (batch.length === 0) return;
    const writes = planWrites(batch, this.#index.table, this.#record);
    const now = this.#now().toISOString();
    this.#record.write((seq) => {
      for (const write of writes) recordWrite(write, this.#record, this.embedder, now, seq);
    });
    for (const write of writes) {
      applyWrite(write, this.#index);
      this.#entities.forget(write.entity);
      this.#countChanges(write.units.length + write.gone.length);
    }
  }

  async delete(ids: readonly EntityId[]): Promise<number> {
    this.#checkOpen();
    const found = [...new Set(ids)].flatMap((id) => this.#index.table.entity(id) ?? []);
    if (found.length === 0) return 0;
    const texts = found.flatMap(({ units }) =>
      units.map(({ row }) => ({ row, before: storedUnit(this.#record, row) })),
    );
    this.#record.write(() => {
      for (const { no } of found) this.#record.deleteEntity(no);
    });
    for (const { row, before } of texts) this.#index.removeText(row, before);
    for (const entity of found) {
      this.#index.deleteEntity(entity.facts.id);
      this.#entities.forget(entity);
    }
    this.#countChanges(texts.length);
    return found.length;
  }

  async getMany(ids: readonly EntityId[]): Promise<readonly StoredEntity[]> {
    this.#checkOpen();
    return this.#entities.getMany(ids);
  }

  async getShown(ids: readonly EntityId[]): Promise<readonly ShownEntity[]> {
    this.#checkOpen();
    return this.#entities.getShown(ids);
  }

  async scan({ types, after, limit }: ScanQuery): Promise<Page> {
    this.#checkOpen();
    const ids = this.#index.table.sortedIds();
    const found: EntityId[] = [];
    for (let at = after === undefined ? 0 : firstAfter(ids, after); at < ids.length && found.length <= limit; at++) {
      const id = ids[at]!;
      if (types === undefined || types.includes(this.#index.table.entity(id)!.facts.type)) found.push(id);
    }
    const page = found.slice(0, limit);
    const entities = this.#entities.getMany(page);
    const last = page.at(-1);
    return found.length > limit && last !== undefined ? { entities, cursor: last } : { entities };
  }

  async annotate(annotations: readonly Annotation[]): Promise<void> {
    this.#checkOpen();
    const numbered = annotations.map(({ id, key, value }) => {
      const entity = this.#index.table.entity(id);
      if (entity === undefined) throw noSuchEntity(id);
      return { no: entity.no, key, value };
    });
    this.#record.annotate(numbered);
  }

  async annotationsOf(ids: readonly EntityId[]): Promise<ReadonlyMap<EntityId, Readonly<Record<string, unknown>>>> {
    this.#checkOpen();
    const found = new Map<EntityId, Readonly<Record<string, unknown>>>();
    for (const id of ids) {
      const entity = this.#index.table.entity(id);
      const notes = entity === undefined ? {} : this.#record.annotationsOf(entity.no);
      if (Object.keys(notes).length > 0) found.set(id, notes);
    }
    return found;
  }

  async annotated(key: string): Promise<ReadonlyMap<EntityId, unknown>> {
    this.#checkOpen();
    return new Map([...this.#record.annotated(key)].sort(([a], [b]) => compareIds(a, b)));
  }

  async searchKeyword(query: KeywordQuery): Promise<RankedList> {
    this.#checkOpen();
    return this.#index.searchKeyword(query);
  }

  async hasTags(tags: readonly string[]): Promise<readonly boolean[]> {
    this.#checkOpen();
    return tags.map((tag) => this.#index.hasTag(tag));
  }

  async inspect({ text, anchors, filter, limit }: InspectQuery): Promise<Inspection> {
    this.#checkOpen();
    const holders: Holders[] = [];
    for (const anchor of anchors) {
      const rows = this.#index.rowsWith(anchor.terms, filter);
      if (rows === null) holders.push({ anchor, units: [], count: Number.POSITIVE_INFINITY });
      else {
        const holding = anchor.kind === 'phrase' ? this.#withPhrase(rows, anchor.text) : rows;
        holders.push({ anchor, units: this.#index.hitsOf(holding.slice(0, limit)), count: holding.length });
      }
    }
    const { ceiling, known, terms } = this.#index.keyword.ceiling(text);
    return { ceiling, known, terms, holders };
  }

  async matchedFields(text: string, units: readonly UnitRef[]): Promise<ReadonlyMap<UnitId, readonly Field[]>> {
    this.#checkOpen();
    const found = new Map<UnitId, readonly Field[]>();
    for (const ref of units) {
      const row = this.#index.rowOf(ref);
      const bits = row < 0 ? 0 : this.#index.keyword.matchedFields(text, row);
      if (bits === 0) continue;
      found.set(ref.unit, fieldsOf(bits));
    }
    return found;
  }

  async keywordScores(
    text: string,
    scorer: KeywordQuery['scorer'],
    asked: readonly Asked[],
  ): Promise<readonly number[]> {
    this.#checkOpen();
    return this.#index.keywordScores(text, scorer, asked);
  }

  async vectorScores(
    vector: Float32Array,
    asked: readonly Asked[],
    embedder?: string,
  ): Promise<readonly (number | null)[]> {
    this.#checkOpen();
    return this.#index.vectorScores(vector, asked, embedder);
  }

  async searchVector(query: VectorQuery): Promise<RankedList> {
    this.#checkOpen();
    const space = this.#index.space(query.embedder);
    // The index itself looks at each number.
    if (space !== null) checkDimensions(query.vector, space.embedder, 'the query');
    if (space === null || !this.#index.lookAhead(query)) return this.#index.searchVector(query);
    // A copy: whoever asked may use the array again before it is answered.
    const asked = { ...query, vector: query.vector.slice() };
    try {
      // Whoever asked can ask the keyword leg meanwhile.
      await null;
      this.#checkOpen();
      return this.#index.searchVector(asked);
    } finally {
      space.vectors.endLookAhead();
    }
  }

  async missingVectors(
    limit: number,
    entities?: readonly EntityId[],
    embedder?: string,
  ): Promise<readonly PendingUnit[]> {
    this.#checkOpen();
    return this.#upkeep.missing(limit, entities, embedder);
  }

  async putVectors(vectors: readonly UnitVector[], embedder?: string): Promise<number> {
    this.#checkOpen();
    const stored = this.#upkeep.put(vectors, embedder);
    this.#countChanges(stored);
    return stored;
  }

  async build(embedder: EmbedderIdentity): Promise<void> {
    this.#checkOpen();
    this.#upkeep.build(embedder);
    this.#stats.clear();
  }

  async serveBuilding(): Promise<void> {
    this.#checkOpen();
    if (this.building === null) return;
    this.#record.serve(this.building);
    this.#index.serveBuilding();
    // The snapshot has the vectors of the other one: a new one is worth writing.
    this.#countChanges(this.#index.table.unitCount);
  }

  async staleVectors(limit: number, entities?: readonly EntityId[]): Promise<readonly StaleVector[]> {
    this.#checkOpen();
    return this.#upkeep.stale(limit, entities);
  }

  async dropStaleVectors(limit: number, entities?: readonly EntityId[]): Promise<number> {
    this.#checkOpen();
    const dropped = this.#upkeep.dropStale(limit, entities);
    this.#stats.clear();
    return dropped;
  }

  async stats(embedder?: string): Promise<EngineStats> {
    this.#checkOpen();
    let stats = this.#stats.get(embedder);
    if (stats === undefined) {
      stats = Object.freeze(this.#count(embedder));
      this.#stats.set(embedder, stats);
    }
    return stats;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#index.close();
    this.#onClose(this.#changes);
  }

  /** Words in their order are only in the record; so many units are read and no more. */
  #withPhrase(rows: readonly number[], phrase: string): readonly number[] {
    return rows.slice(0, MAX_PHRASES_READ).filter((row) => {
      const text = this.#record.textOf(row);
      return text !== undefined && holdsPhrase(JSON.parse(text.fields), phrase);
    });
  }

  #countChanges(units: number): void {
    this.#changes += units;
    this.#stats.clear();
  }

  #count(embedder: string | undefined): EngineStats {
    const { table, building } = this.#index;
    const space = this.#index.space(embedder);
    return {
      entities: table.entityCount,
      units: table.unitCount,
      vectors: space?.vectors.size ?? 0,
      missingVectors: space?.waitingCount ?? 0,
      staleVectors: this.#upkeep.countStale(),
      building:
        building === null
          ? null
          : { id: building.embedder.id, vectors: building.vectors.size, missingVectors: building.waitingCount },
      byType: Object.freeze(Object.fromEntries([...table.countByType].filter(([, count]) => count > 0))),
      meanVector: space?.mean() ?? null,
      bytes: sizeOf(this.#files),
    };
  }

  #checkOpen(): void {
    if (!this.#isClosed) return;
    throw new DowserError('ENGINE_UNAVAILABLE', 'The engine is closed.', { hint: 'Open it again to go on.' });
  }
}

const FIELD_SETS = new Map<number, readonly Field[]>();

/** The fields whose bits are set, made once for each of the few sets there are. */
function fieldsOf(bits: number): readonly Field[] {
  let fields = FIELD_SETS.get(bits);
  if (fields === undefined) {
    fields = Object.freeze(FIELDS.filter((_, field) => (bits & (1 << field)) !== 0));
    FIELD_SETS.set(bits, fields);
  }
  return fields;
}

function sizeOf(files: readonly string[]): number {
  let bytes = 0;
  for (const file of files) bytes += statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}

/** Where the first id behind `after` is; ids are sorted. */
function firstAfter(ids: readonly EntityId[], after: string): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareIds(ids[middle]!, after) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
