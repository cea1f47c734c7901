import { statSync } from 'node:fs';
import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import type { EntityId } from '../../model/entity.ts';
import { DowserError } from '../../model/errors.ts';
import { compareIds, type RankedList } from '../../search/ranked-list.ts';
import { checkBatch, checkVector, noSuchEntity } from '../check-batch.ts';
import type {
  Annotation,
  Engine,
  EngineCapabilities,
  EngineStats,
  IndexedEntity,
  KeywordQuery,
  Page,
  PendingUnit,
  ScanQuery,
  StoredEntity,
  UnitVector,
  VectorQuery,
} from '../engine.ts';
import { EntityCache } from './entity-cache.ts';
import { applyWrite, planWrites, recordWrite, storedUnit } from './entity-write.ts';
import type { RecordStore } from './record-store.ts';
import type { SearchIndex } from './search-index.ts';

export interface EmbeddedEngineParts {
  readonly embedder: EmbedderIdentity | null;
  readonly record: RecordStore;
  readonly index: SearchIndex;
  readonly now: () => Date;
  /** Files whose sizes make up `stats().bytes`. */
  readonly files: readonly string[];
  /** Called once, on `close`, with the number of units written by this engine. */
  readonly onClose: (changes: number) => void;
}

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
  readonly embedder: EmbedderIdentity | null;
  readonly #record: RecordStore;
  readonly #index: SearchIndex;
  readonly #now: () => Date;
  readonly #files: readonly string[];
  readonly #onClose: (changes: number) => void;
  readonly #cache = new EntityCache();
  #changes = 0;
  /** Null after a write: asking the file system at every search would cost more than the filter. */
  #bytes: number | null = null;
  #isClosed = false;

  constructor(parts: EmbeddedEngineParts) {
    this.embedder = parts.embedder;
    this.#record = parts.record;
    this.#index = parts.index;
    this.#now = parts.now;
    this.#files = parts.files;
    this.#onClose = parts.onClose;
  }

  async put(batch: readonly IndexedEntity[]): Promise<void> {
    this.#checkOpen();
    checkBatch(batch, this.embedder);
    if (batch.length === 0) return;
    const writes = planWrites(batch, this.#index.table, this.#record);
    const now = this.#now().toISOString();
    this.#record.write((seq) => {
      for (const write of writes) recordWrite(write, this.#record, now, seq);
    });
    for (const write of writes) {
      applyWrite(write, this.#index);
      this.#cache.delete(write.entity.facts.id);
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
    for (const { facts } of found) {
      this.#index.deleteEntity(facts.id);
      this.#cache.delete(facts.id);
    }
    this.#countChanges(texts.length);
    return found.length;
  }

  async getMany(ids: readonly EntityId[]): Promise<readonly StoredEntity[]> {
    this.#checkOpen();
    return ids.flatMap((id) => this.#read(id) ?? []);
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
    const entities = page.flatMap((id) => this.#read(id) ?? []);
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

  async searchVector(query: VectorQuery): Promise<RankedList> {
    this.#checkOpen();
    if (this.embedder !== null) checkVector(query.vector, this.embedder, 'the query');
    return this.#index.searchVector(query);
  }

  async missingVectors(limit: number, entities?: readonly EntityId[]): Promise<readonly PendingUnit[]> {
    this.#checkOpen();
    const index = this.#index;
    const rows =
      entities === undefined
        ? index.waitingRows()
        : [...new Set(entities)].flatMap((id) => index.table.rowsOfEntity(id)).filter((row) => index.isWaiting(row));
    const pending: PendingUnit[] = [];
    for (const row of rows) {
      if (pending.length >= limit) break;
      const { id, textHash } = index.table.unitAt(row)!;
      pending.push({ unit: id, text: this.#record.embedTextOf(row), textHash });
    }
    return pending;
  }

  async putVectors(vectors: readonly UnitVector[]): Promise<number> {
    this.#checkOpen();
    const byRow = new Map<number, Float32Array>();
    for (const { unit, textHash, vector } of vectors) {
      checkVector(vector, this.embedder, unit);
      const found = this.#index.table.unit(unit);
      if (found?.textHash === textHash) byRow.set(found.row, vector);
    }
    if (byRow.size === 0) return 0;
    this.#record.write((seq) => {
      for (const [row, vector] of byRow) this.#record.putVector(row, vector, seq);
    });
    for (const [row, vector] of byRow) this.#index.setVector(row, vector);
    this.#countChanges(byRow.size);
    return byRow.size;
  }

  async stats(): Promise<EngineStats> {
    this.#checkOpen();
    const { table, vectors, waitingCount } = this.#index;
    this.#bytes ??= sizeOf(this.#files);
    return {
      entities: table.entityCount,
      units: table.unitCount,
      vectors: vectors?.size ?? 0,
      missingVectors: waitingCount,
      byType: Object.fromEntries([...table.countByType].filter(([, count]) => count > 0)),
      bytes: this.#bytes,
    };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClose(this.#changes);
  }

  #read(id: EntityId): StoredEntity | undefined {
    const cached = this.#cache.get(id);
    if (cached !== undefined) return cached;
    const found = this.#record.read(id);
    if (found === undefined) return undefined;
    const { json, ...rest } = found;
    const entity = { ...rest, entity: JSON.parse(json) };
    this.#cache.set(entity, json.length);
    return entity;
  }

  #countChanges(units: number): void {
    this.#changes += units;
    this.#bytes = null;
  }

  #checkOpen(): void {
    if (!this.#isClosed) return;
    throw new DowserError('ENGINE_UNAVAILABLE', 'The engine is closed.', { hint: 'Open it again to go on.' });
  }
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
