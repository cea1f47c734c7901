import { type Edge, edgeKey } from '../../model/edge.ts';
import type { EdgeColumns, EdgeSelection, EdgeStore } from '../edge-store.ts';
import type { EmbeddedEngine } from '../embedded/embedded-engine.ts';
import type { Follower } from './follower.ts';
import type { ReplicaWriter } from './replica-writer.ts';
import type { EdgeState } from './shared-record.ts';

/** Edges go to the shared record and then to the copy. */
export class ReplicaEdges implements EdgeStore {
  readonly #local: EmbeddedEngine;
  readonly #writer: ReplicaWriter;
  readonly #follower: Follower;
  readonly #checkUsable: () => void;

  constructor(local: EmbeddedEngine, writer: ReplicaWriter, follower: Follower, checkUsable: () => void) {
    this.#local = local;
    this.#writer = writer;
    this.#follower = follower;
    this.#checkUsable = checkUsable;
  }

  put(edges: readonly Edge[]): Promise<void> {
    const last = new Map(edges.map((edge) => [edgeKey(edge), { edge, isDeleted: false }]));
    return this.#writer.inTurn(() => this.#write([...last.values()]));
  }

  delete(which: EdgeSelection): Promise<number> {
    return this.#writer.inTurn(async () => {
      const gone = this.#local.edges.select(which);
      await this.#write(gone.map((edge) => ({ edge, isDeleted: true })));
      return gone.length;
    });
  }

  async load(): Promise<EdgeColumns> {
    this.#checkUsable();
    return this.#local.edges.load();
  }

  watch(listener: (edges: readonly Edge[] | null) => void): void {
    this.#follower.watchEdges(listener);
  }

  async #write(edges: readonly EdgeState[]): Promise<void> {
    this.#checkUsable();
    if (edges.length > 0) await this.#writer.write({ edges }, { edges });
  }
}
