import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import { EDGE_TYPES, type Edge } from '../../model/entity-parts/edge.ts';
import type { EdgeColumns, EdgeSelection, EdgeStore } from '../edge-store.ts';
import type { Engine } from '../engine.ts';
import { MemoryIndex } from './memory-index.ts';
import { MemoryState } from './memory-state.ts';
import { MemoryStore } from './memory-store.ts';
import { MemoryVectors } from './memory-vectors.ts';

/** The reference: a map of edges. */
class MemoryEdges implements EdgeStore {
  readonly #state: MemoryState;
  readonly #edges = new Map<string, Edge>();

  constructor(state: MemoryState) {
    this.#state = state;
  }

  async put(edges: readonly Edge[]): Promise<void> {
    this.#state.checkOpen();
    for (const edge of edges) {
      this.#edges.set(JSON.stringify([edge.source, edge.target, edge.type, edge.provenance]), { ...edge });
    }
  }

  async delete({ provenance, between }: EdgeSelection): Promise<number> {
    this.#state.checkOpen();
    const gone = [...this.#edges].filter(
      ([, edge]) =>
        edge.provenance === provenance &&
        (between === undefined || (between.includes(edge.source) && between.includes(edge.target))),
    );
    for (const [key] of gone) this.#edges.delete(key);
    return gone.length;
  }

  async load(): Promise<EdgeColumns> {
    this.#state.checkOpen();
    return edgeColumns([...this.#edges.values()]);
  }

  /** No other process writes. */
  watch(): void {}
}

/** Edges as columns. */
export function edgeColumns(edges: readonly Edge[]): EdgeColumns {
  const numbers = new Map<string, number>();
  const numberOf = (name: string) => {
    const known = numbers.get(name) ?? numbers.size;
    numbers.set(name, known);
    return known;
  };
  return {
    source: Uint32Array.from(edges, ({ source }) => numberOf(source)),
    target: Uint32Array.from(edges, ({ target }) => numberOf(target)),
    provenance: Uint32Array.from(edges, ({ provenance }) => numberOf(provenance)),
    type: Uint8Array.from(edges, ({ type }) => EDGE_TYPES.indexOf(type)),
    weight: Float64Array.from(edges, ({ weight }) => weight),
    confidence: Float64Array.from(edges, ({ confidence }) => confidence),
    decay: Float64Array.from(edges, ({ decay }) => decay),
    verifiedAt: Float64Array.from(edges, ({ verifiedAt }) => verifiedAt ?? Number.NaN),
    names: [...numbers.keys()],
  };
}

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
