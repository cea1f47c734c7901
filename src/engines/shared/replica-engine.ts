import { setTimeout as wait } from 'node:timers/promises';
import { DowserError } from '../../model/errors.ts';
import type { EmbeddedEngine } from '../embedded/embedded-engine.ts';
import type { Engine } from '../engine.ts';
import type { Index } from '../index-port.ts';
import type { Replica } from '../replica.ts';
import type { VectorServer } from '../vector-server.ts';
import { embeddingDuty, type FollowLoop } from './follow-loop.ts';
import type { Follower } from './follower.ts';
import type { KeyCopy } from './key-copy.ts';
import { ReplicaEdges } from './replica-edges.ts';
import { ReplicaStore } from './replica-store.ts';
import { ReplicaVectors } from './replica-vectors.ts';
import type { ReplicaWriter } from './replica-writer.ts';
import type { SharedRecord } from './shared-record.ts';

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
