import { statSync } from 'node:fs';
import type { Retrieved, RetrieveQuery } from '../../search/retrieval/retrieval.ts';
import type { Index, IndexStats } from '../index-port.ts';
import type { EmbeddedVectors } from './embedded-vectors.ts';
import type { EngineState } from './engine-state.ts';
import { retrieveRows } from './retrieve-rows.ts';

/** What is searched is in memory and follows the record. */
export class EmbeddedIndex implements Index {
  readonly #state: EngineState;
  readonly #vectors: EmbeddedVectors;
  readonly #files: readonly string[];
  /** By the embedder asked about, as of a version: counting at every call would cost more than most of them. */
  readonly #stats = new Map<string | undefined, IndexStats>();
  #version = -1;

  /** `files`: their sizes make up `stats().bytes`. */
  constructor(state: EngineState, vectors: EmbeddedVectors, files: readonly string[]) {
    this.#state = state;
    this.#vectors = vectors;
    this.#files = files;
  }

  async retrieve(query: RetrieveQuery): Promise<Retrieved> {
    this.#state.checkOpen();
    const { record, index } = this.#state;
    return retrieveRows(index, query, (row) => {
      const text = record.textOf(row);
      return text === undefined ? undefined : JSON.parse(text.fields);
    });
  }

  async stats(embedder?: string): Promise<IndexStats> {
    this.#state.checkOpen();
    if (this.#version !== this.#state.version) this.#stats.clear();
    this.#version = this.#state.version;
    let stats = this.#stats.get(embedder);
    if (stats === undefined) {
      stats = Object.freeze(this.#count(embedder));
      this.#stats.set(embedder, stats);
    }
    return stats;
  }

  #count(embedder: string | undefined): IndexStats {
    const { index } = this.#state;
    const { table, building } = index;
    const space = index.space(embedder);
    return {
      entities: table.entityCount,
      units: table.unitCount,
      vectors: space?.vectors.size ?? 0,
      missingVectors: space?.waitingCount ?? 0,
      unloadedVectors: space?.unloadedCount ?? 0,
      staleVectors: this.#vectors.countStale(),
      building:
        building === null
          ? null
          : { id: building.embedder.id, vectors: building.vectors.size, missingVectors: building.waitingCount },
      byType: Object.freeze(Object.fromEntries(table.types().map((type) => [type, table.countByType.get(type)!]))),
      bytes: sizeOf(this.#files),
    };
  }
}

function sizeOf(files: readonly string[]): number {
  let bytes = 0;
  for (const file of files) bytes += statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}
