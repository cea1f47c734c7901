import { setImmediate } from 'node:timers/promises';
import type { EdgeColumns, EdgeSelection, EdgeStore } from '../engines/edge-store.ts';
import type { EntityId } from '../model/entity.ts';
import type { Edge, Surroundings } from '../model/entity-parts/edge.ts';
import { EdgeGraph } from './edge-graph.ts';
import type { AroundOptions, GraphStore } from './graph-store.ts';

/** The graph of this process: the engine keeps the edges, typed arrays follow them. They are filled at the first question, in slices. */
export class EmbeddedGraphStore implements GraphStore {
  readonly name = 'embedded';
  readonly #edges: EdgeStore;
  #graph: Promise<EdgeGraph> | null = null;

  constructor(edges: EdgeStore) {
    this.#edges = edges;
    edges.watch((changed) => this.#follow(changed));
  }

  async put(edges: readonly Edge[]): Promise<void> {
    await this.#edges.put(edges);
    const graph = await this.#loaded();
    if (graph !== null) for (const edge of edges) graph.put(edge);
  }

  async delete(which: EdgeSelection): Promise<number> {
    const deleted = await this.#edges.delete(which);
    (await this.#loaded())?.delete(which);
    return deleted;
  }

  async around(nodes: readonly EntityId[], options?: AroundOptions): Promise<readonly Surroundings[]> {
    return (await this.#opened()).around(nodes, options);
  }

  async close(): Promise<void> {
    this.#graph = null;
  }

  /** What other processes have written. */
  #follow(edges: readonly Edge[] | null): void {
    const loading = this.#loaded();
    if (edges === null) this.#graph = null;
    else
      void loading.then((graph) => {
        if (graph !== null) for (const edge of edges) graph.put(edge);
      });
  }

  /**
   * The arrays to change after a write to the record; null if there are none. A load that runs meanwhile may or may not have
   * seen the write, so the change is made again when it ends.
   */
  async #loaded(): Promise<EdgeGraph | null> {
    return (await this.#graph?.catch(() => null)) ?? null;
  }

  /** A load that fails is tried again by the next question. */
  #opened(): Promise<EdgeGraph> {
    if (this.#graph !== null) return this.#graph;
    const loading = this.#edges.load().then(filled);
    loading.catch(() => {
      if (this.#graph === loading) this.#graph = null;
    });
    this.#graph = loading;
    return loading;
  }
}

/** Others have a turn between slices. */
async function filled(columns: EdgeColumns): Promise<EdgeGraph> {
  const filling = EdgeGraph.of(columns);
  for (;;) {
    const slice = filling.next();
    if (slice.done === true) return slice.value;
    await setImmediate();
  }
}
