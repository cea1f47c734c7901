import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import type { Engine } from '../engine.ts';
import { MemoryEdges } from './memory-edges.ts';
import { MemoryIndex } from './memory-index.ts';
import { MemoryState } from './memory-state.ts';
import { MemoryStore } from './memory-store.ts';
import { MemoryVectors } from './memory-vectors.ts';

export interface MemoryOptions {
  readonly embedder: EmbedderIdentity | null;
  /** Stamps `createdAt` and `updatedAt`. Default: the clock. */
  readonly now?: () => Date;
}

/**
 * The reference: implements the ports in the simplest way, by reading every unit. Data is lost on close. For tests and small
 * catalogs.
 */
export class MemoryEngine implements Engine {
  readonly name = 'memory';
  readonly store: MemoryStore;
  readonly index: MemoryIndex;
  readonly vectors: MemoryVectors;
  readonly edges: MemoryEdges;
  readonly replica = null;
  readonly vectorServer = null;
  readonly #state: MemoryState;

  constructor({ embedder, now = () => new Date() }: MemoryOptions) {
    this.#state = new MemoryState(embedder);
    this.store = new MemoryStore(this.#state, now);
    this.vectors = new MemoryVectors(this.#state);
    this.index = new MemoryIndex(this.#state, this.vectors);
    this.edges = new MemoryEdges(this.#state);
  }

  async close(): Promise<void> {
    this.#state.isClosed = true;
    this.#state.entities.clear();
  }
}
