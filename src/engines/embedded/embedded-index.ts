import { statSync } from 'node:fs';
import type { EntityType } from '../../model/entity.ts';
import type { ViewClauses } from '../../model/query/filter.ts';
import type { Retrieved, RetrieveQuery } from '../../search/retrieval/retrieval.ts';
import type { NameLookup } from '../../search/text/name-spelling.ts';
import type { Index, IndexStats } from '../index-port.ts';
import type { EmbeddedVectors } from './embedded-vectors.ts';
import type { EngineState } from './engine-state.ts';
import { retrieveRows, searchVectorLeg } from './index/retrieve-rows.ts';

/** Searches the index in memory. */
export class EmbeddedIndex implements Index {
  readonly #state: EngineState;
  readonly #vectors: EmbeddedVectors;
  readonly #files: readonly string[];
  /** Cached by embedder for one version of the store, because counting is slow. */
  readonly #stats = new Map<string | undefined, IndexStats>();
  #version = -1;

  /** `files`: `stats().bytes` is the sum of their sizes. */
  constructor(state: EngineState, vectors: EmbeddedVectors, files: readonly string[]) {
    this.#state = state;
    this.#vectors = vectors;
    this.#files = files;
  }

  get version(): number {
    return this.#state.version;
  }

  async retrieve(query: RetrieveQuery): Promise<Retrieved> {
    this.#state.checkOpen();
    const { record, index } = this.#state;
    const readFields = (row: number) => record.fieldsOf(row);
    const remote = query.vector === null ? null : (index.space(query.vector.embedder)?.remote ?? null);
    if (remote === null) return retrieveRows(index, query, readFields);
    return remote.answer(
      () => searchVectorLeg(index, query, readFields),
      () => {
        this.#state.checkOpen();
        return retrieveRows(index, query, readFields);
      },
    );
  }

  async names(view: ViewClauses): Promise<NameLookup> {
    this.#state.checkOpen();
    const { index } = this.#state;
    const { rows } = index.view(view);
    return (joined) => index.table.nameOf(joined, rows);
  }

  async stats(embedder?: string, readers?: readonly string[]): Promise<IndexStats> {
    this.#state.checkOpen();
    if (readers !== undefined) return this.#count(embedder, readers);
    if (this.#version !== this.#state.version) this.#stats.clear();
    this.#version = this.#state.version;
    let stats = this.#stats.get(embedder);
    if (stats === undefined) {
      stats = Object.freeze(this.#count(embedder));
      this.#stats.set(embedder, stats);
    }
    return stats;
  }

  #count(embedder: string | undefined, readers?: readonly string[]): IndexStats {
    const { index } = this.#state;
    const { table, building } = index;
    const view = index.view(readers === undefined ? {} : { readers });
    const { vectors, missingVectors } = index.counts(building, view);
    const cards = (type: EntityType) =>
      readers === undefined
        ? table.countByType.get(type)!
        : index.eligible({ readers, types: [type], unitKinds: ['card'] }).count();
    const byType = table.types().map((type) => [type, cards(type)] as const);
    return {
      ...index.counts(index.space(embedder), view),
      staleVectors: this.#vectors.countStale(readers),
      building: building === null ? null : { id: building.embedder.id, vectors, missingVectors },
      byType: Object.freeze(Object.fromEntries(byType.filter(([, count]) => count > 0))),
      ...(readers === undefined ? { bytes: sizeOf(this.#files) } : {}),
    };
  }
}

function sizeOf(files: readonly string[]): number {
  let bytes = 0;
  for (const file of files) bytes += statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}
