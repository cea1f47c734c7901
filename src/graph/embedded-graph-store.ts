import type { EdgeSelection, EdgeStore } from '../engines/edge-store.ts';
import type { Edge, Surroundings } from '../model/edge.ts';
import type { EntityId } from '../model/entity.ts';
import { EdgeGraph } from './edge-graph.ts';
import type { AroundOptions, GraphStore } from './graph-store.ts';

/** The graph of this process: the engine keeps the edges, typed arrays follow them. They are filled at the first question. */
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
    const graph = await this.#graph;
    if (graph !== null) for (const edge of edges) graph.put(edge);
  }

  async delete(which: EdgeSelection): Promise<number> {
    const deleted = await this.#edges.delete(which);
    (await this.#graph)?.delete(which);
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
    const loading = this.#graph;
    if (edges === null) this.#graph = null;
    else
      loading?.then(
        (graph) => {
          for (const edge of edges) graph.put(edge);
        },
        () => {},
      );
  }

  /** A load that fails is tried again by the next question. */
  #opened(): Promise<EdgeGraph> {
    this.#graph ??= this.#edges.load().then(
      (columns) => new EdgeGraph(columns),
      (error) => {
        this.#graph = null;
        throw error;
      },
    );
    return this.#graph;
  }
}
