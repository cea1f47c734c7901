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
} from '../engines/engine.ts';
import type { EmbedderIdentity } from '../model/embedder-identity.ts';
import { type EntityId, idOf } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import type { Field, UnitId } from '../model/unit.ts';
import type { Asked } from '../search/ranking/join.ts';
import type { RankedList, UnitRef } from '../search/ranking/ranked-list.ts';
import type { ChangeLog } from './change-log.ts';

/**
 * The engine as the registry uses it.
 *
 * Reads fail only with errors that have a code: whatever else breaks inside an engine means that it cannot answer now. A
 * search over a broken engine is an error, never an empty answer. A defect on the way to a write stays a defect: nobody
 * should try it again.
 *
 * Every write is noted, whoever makes it. One that fails is noted too: an engine behind a network may have done it all the
 * same.
 *
 * Method by method and not by a proxy: a search asks an engine ten times, and the detour must cost nothing.
 */
export class GuardedEngine implements Engine {
  readonly #engine: Engine;
  readonly #log: ChangeLog;

  constructor(engine: Engine, log: ChangeLog) {
    this.#engine = engine;
    this.#log = log;
  }

  get name(): string {
    return this.#engine.name;
  }

  get capabilities(): EngineCapabilities {
    return this.#engine.capabilities;
  }

  get embedder(): EmbedderIdentity | null {
    return this.#engine.embedder;
  }

  get building(): EmbedderIdentity | null {
    return this.#engine.building;
  }

  async put(batch: readonly IndexedEntity[]): Promise<void> {
    try {
      await this.#engine.put(batch);
    } finally {
      this.#log.record(batch.map(({ entity }) => idOf(entity)));
    }
  }

  async delete(ids: readonly EntityId[]): Promise<number> {
    try {
      return await this.#engine.delete(ids);
    } finally {
      this.#log.record(ids);
    }
  }

  async annotate(annotations: readonly Annotation[]): Promise<void> {
    try {
      await this.#engine.annotate(annotations);
    } finally {
      this.#log.record(annotations.map(({ id }) => id));
    }
  }

  putVectors(vectors: readonly UnitVector[], embedder?: string): Promise<number> {
    return this.#engine.putVectors(vectors, embedder);
  }

  build(embedder: EmbedderIdentity): Promise<void> {
    return this.#engine.build(embedder);
  }

  serveBuilding(): Promise<void> {
    return this.#engine.serveBuilding();
  }

  dropStaleVectors(limit: number, entities?: readonly EntityId[]): Promise<number> {
    return this.#engine.dropStaleVectors(limit, entities);
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  getMany(ids: readonly EntityId[]): Promise<readonly StoredEntity[]> {
    return read(() => this.#engine.getMany(ids));
  }

  getShown(ids: readonly EntityId[]): Promise<readonly ShownEntity[]> {
    return read(() => this.#engine.getShown(ids));
  }

  scan(query: ScanQuery): Promise<Page> {
    return read(() => this.#engine.scan(query));
  }

  annotationsOf(ids: readonly EntityId[]): Promise<ReadonlyMap<EntityId, Readonly<Record<string, unknown>>>> {
    return read(() => this.#engine.annotationsOf(ids));
  }

  annotated(key: string): Promise<ReadonlyMap<EntityId, unknown>> {
    return read(() => this.#engine.annotated(key));
  }

  searchKeyword(query: KeywordQuery): Promise<RankedList> {
    return read(() => this.#engine.searchKeyword(query));
  }

  hasTags(tags: readonly string[]): Promise<readonly boolean[]> {
    return read(() => this.#engine.hasTags(tags));
  }

  inspect(query: InspectQuery): Promise<Inspection> {
    return read(() => this.#engine.inspect(query));
  }

  matchedFields(text: string, units: readonly UnitRef[]): Promise<ReadonlyMap<UnitId, readonly Field[]>> {
    return read(() => this.#engine.matchedFields(text, units));
  }

  searchVector(query: VectorQuery): Promise<RankedList> {
    return read(() => this.#engine.searchVector(query));
  }

  keywordScores(text: string, scorer: KeywordQuery['scorer'], asked: readonly Asked[]): Promise<readonly number[]> {
    return read(() => this.#engine.keywordScores(text, scorer, asked));
  }

  vectorScores(vector: Float32Array, asked: readonly Asked[], embedder?: string): Promise<readonly (number | null)[]> {
    return read(() => this.#engine.vectorScores(vector, asked, embedder));
  }

  missingVectors(limit: number, entities?: readonly EntityId[], embedder?: string): Promise<readonly PendingUnit[]> {
    return read(() => this.#engine.missingVectors(limit, entities, embedder));
  }

  staleVectors(limit: number, entities?: readonly EntityId[]): Promise<readonly StaleVector[]> {
    return read(() => this.#engine.staleVectors(limit, entities));
  }

  stats(embedder?: string): Promise<EngineStats> {
    return read(() => this.#engine.stats(embedder));
  }
}

/** What is thrown at once counts like what is rejected later. */
function read<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return ask().catch(fail);
  } catch (thrown) {
    return Promise.reject(thrown).catch(fail);
  }
}

function fail(thrown: unknown): never {
  if (thrown instanceof DowserError) throw thrown;
  throw new DowserError('ENGINE_UNAVAILABLE', 'The search engine could not answer.', {
    hint: 'Try again; the log of the server or of the command holds the details.',
    cause: thrown,
  });
}
