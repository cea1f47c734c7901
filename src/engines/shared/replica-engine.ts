import { setTimeout as wait } from 'node:timers/promises';
import { type Edge, edgeKey } from '../../model/entity-parts/edge.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { EdgeColumns, EdgeSelection, EdgeStore } from '../edge-store.ts';
import type { EmbeddedEngine } from '../embedded/embedded-engine.ts';
import type { Engine } from '../engine.ts';
import type { Index } from '../index-port.ts';
import type { Replica } from '../replica.ts';
import type { EdgeState, SharedRecord } from '../shared-record.ts';
import type { VectorServer } from '../vector-server.ts';
import { embeddingDuty, type FollowLoop } from './follow-loop.ts';
import type { Follower } from './follower.ts';
import type { KeyCopy } from './key-copy.ts';
import { ReplicaStore } from './replica-store.ts';
import { ReplicaVectors } from './replica-vectors.ts';
import type { ReplicaWriter } from './replica-writer.ts';

/** Edges go to the shared record and then to the copy. */
class ReplicaEdges implements EdgeStore {
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

const MAX_CLOSE_MS = 2_000;

export interface ReplicaParts {
  readonly local: EmbeddedEngine;
  readonly record: SharedRecord;
  readonly follower: Follower;
  readonly writer: ReplicaWriter;
  readonly loop: FollowLoop;
  readonly keys: KeyCopy;
  readonly now: () => Date;
}

/** A node: an embedded engine that follows a shared record. */
export class ReplicaEngine implements Engine {
  readonly name = 'replica';
  readonly store: ReplicaStore;
  readonly index: Index;
  readonly vectors: ReplicaVectors;
  readonly edges: ReplicaEdges;
  readonly replica: Replica;
  readonly vectorServer: VectorServer | null;
  readonly #parts: ReplicaParts;
  #isClosed = false;

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
    const { local, follower, writer, loop } = parts;
    const check = () => this.#checkUsable();
    this.vectorServer = local.vectorServer;
    this.store = new ReplicaStore(local, writer, check, parts.now);
    this.vectors = new ReplicaVectors(local, writer, follower, check);
    this.edges = new ReplicaEdges(local, writer, follower, check);
    this.index = {
      // A search is refused while the copy cannot be used, whatever it has.
      version: null,
      retrieve: async (query) => {
        check();
        return local.index.retrieve(query);
      },
      names: async (view) => {
        check();
        return local.index.names(view);
      },
      // Of any copy: health reports say how far it is.
      stats: async (embedder, readers) => {
        return local.index.stats(embedder, readers);
      },
    };
    this.replica = {
      status: () => follower.status(),
      reached: (revision, timeoutMs) => {
        // A write that this node has not heard of, or an epoch.
        if (!follower.has(revision)) loop.hurry();
        return follower.reached(revision, timeoutMs);
      },
      embeds: (embedder) => loop.leads(embeddingDuty(embedder)),
      leads: (duty) => loop.leads(duty),
      reindex: () => follower.reindex,
      keys: () => parts.keys.keys,
      changeReindex: (change) =>
        writer.inTurn(async () => {
          const known = follower.reindex;
          const next = change(known);
          if (next === known) return next;
          await writer.write({ reindex: next }, {});
          await follower.applyReindex(next);
          return next;
        }),
      watch: (listener) => follower.watch(listener),
    };
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { loop, record, local } = this.#parts;
    const ended = loop.close();
    // A database that does not answer must not keep a node from closing.
    await Promise.race([ended, wait(MAX_CLOSE_MS, undefined, { ref: false })]);
    await record.close();
    await ended;
    await local.close();
  }

  /** A copy that never had everything would answer as if the rest did not exist. */
  #checkUsable(): void {
    if (this.#isClosed)
      throw new DowserError('ENGINE_UNAVAILABLE', 'The engine is closed.', { hint: 'Open it again.' });
    const { follower } = this.#parts;
    if (follower.isUsable) return;
    const { error } = follower.status();
    throw new DowserError('REPLICA_BEHIND', 'This node has not read the shared record yet.', {
      hint: error === null ? 'Try again in a moment.' : `${error.message} ${error.hint ?? ''}`.trim(),
      ...(error === null ? {} : { cause: error }),
    });
  }
}
