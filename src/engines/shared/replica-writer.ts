import { AsyncLocalStorage } from 'node:async_hooks';
import type { CopyChanges } from '../embedded/local-copy.ts';
import type { RecordChanges, RecordTurn, SharedRecord } from '../shared-record.ts';
import type { Follower } from './follower.ts';

interface HeldTurn {
  readonly turn: RecordTurn;
  isOver: boolean;
}

/** Writes of a node: a turn, everything that the record has, then the record, then the copy. */
export class ReplicaWriter {
  readonly #record: SharedRecord;
  readonly #follower: Follower;
  /** Writes inside of `inTurn` are of the same turn. Work that was left behind in one takes a turn of its own. */
  readonly #held = new AsyncLocalStorage<HeldTurn>();

  constructor(record: SharedRecord, follower: Follower) {
    this.#record = record;
    this.#follower = follower;
  }

  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    const outer = this.#held.getStore();
    if (outer !== undefined && !outer.isOver) return work();
    this.#follower.checkWritable();
    return this.#record.inTurn(async (turn) => {
      await this.#follower.catchUpTo(turn.head);
      const held: HeldTurn = { turn, isOver: false };
      try {
        return await this.#held.run(held, work);
      } finally {
        held.isOver = true;
      }
    });
  }

  /** Call it in a turn. */
  async write(changes: RecordChanges, copied: CopyChanges): Promise<void> {
    const { turn } = this.#held.getStore()!;
    const head = await turn.write(changes);
    await this.#follower.applyOwn(head, copied);
  }
}
