import type { Edge } from '../../model/edge.ts';
import { DowserError, toDowserError } from '../../model/errors.ts';
import { ownTurn } from '../../turns/search-turns.ts';
import type { CopyChanges, CopyPosition, LocalCopy } from '../embedded/local-copy.ts';
import type { ReindexState, ReplicaStatus } from '../replica.ts';
import { WriteTurns } from '../write-turns.ts';
import { pageSlices, WHOLE_UNITS, wholePage } from './page-slices.ts';
import type { EmbedderStates, RecordPage, SharedRecord } from './shared-record.ts';

/** Rows of a page of a copy that lacks much. A page of vectors takes some megabytes. */
const PAGE_ROWS = 1000;

export interface FollowerOptions {
  readonly record: SharedRecord;
  readonly copy: LocalCopy;
  /** A copy that lacks writes for longer than this is not ready. */
  readonly maxBehindMs: number;
}

/** Brings a copy up to date with the record, one change at a time. */
export class Follower {
  readonly #options: FollowerOptions;
  /** One change of the copy at a time: what comes from the record, and what this node has written itself. */
  readonly #applying = new WriteTurns();
  readonly #listeners: (() => void)[] = [];
  readonly #edgeListeners: ((edges: readonly Edge[] | null) => void)[] = [];
  readonly #waiters = new Set<() => void>();
  #position: CopyPosition | null;
  #head: number;
  #behindSince: number | null = null;
  #hasCaughtUp = false;
  #isOpen = false;
  #error: DowserError | null = null;
  #embedders: EmbedderStates | null = null;
  #reindex: ReindexState | null = null;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#position = options.copy.position;
    this.#head = this.#position?.seq ?? 0;
  }

  /** What the record served and built when it was last read; null before that. */
  get embedders(): EmbedderStates | null {
    return this.#embedders;
  }

  get reindex(): ReindexState | null {
    return this.#reindex;
  }

  get seq(): number {
    return this.#position?.seq ?? 0;
  }

  /** Whether the copy has had everything once, in this process or an earlier one. */
  get isUsable(): boolean {
    return this.#hasCaughtUp || (this.#position?.complete ?? -1) >= 0;
  }

  status(): ReplicaStatus {
    const behindMs = this.#behindSince === null ? 0 : Date.now() - this.#behindSince;
    return {
      revision: this.seq,
      head: Math.max(this.#head, this.seq),
      behindMs,
      isReady: this.#hasCaughtUp && behindMs <= this.#options.maxBehindMs,
      isUsable: this.isUsable,
      error: this.#error,
    };
  }

  /** Reads everything that the record has now. */
  catchUp(): Promise<void> {
    return this.#applying.take(async () => {
      try {
        await this.#catchUp();
        this.#error = null;
      } catch (thrown) {
        this.#error = toDowserError(thrown);
        throw this.#error;
      }
    });
  }

  /** Applies what this node has just written, unless it has come back from the record already. */
  applyOwn(seq: number, changes: CopyChanges): Promise<void> {
    return this.#applying.take(async () => {
      if (seq <= this.seq) return;
      const { record } = this.#position!;
      await this.#apply(changes, { record, seq, complete: seq });
    });
  }

  /** Serves and builds what this node has just written. */
  applyEmbedders(embedders: EmbedderStates): Promise<void> {
    return this.#applying.take(() => this.#setEmbedders(embedders));
  }

  /** What this node has just written. */
  applyReindex(state: ReindexState): Promise<void> {
    return this.#applying.take(async () => {
      this.#reindex = state;
      this.notify();
    });
  }

  /** False if the revision did not come in time. */
  reached(revision: number, timeoutMs: number): Promise<boolean> {
    if (this.seq >= revision) return Promise.resolve(true);
    return new Promise((resolve) => {
      const done = (isReached: boolean) => {
        clearTimeout(timer);
        this.#waiters.delete(check);
        resolve(isReached);
      };
      const check = () => {
        if (this.seq >= revision) done(true);
      };
      const timer = setTimeout(() => done(false), timeoutMs);
      this.#waiters.add(check);
    });
  }

  /** Calls back when changes of others have come. */
  watch(listener: () => void): void {
    this.#listeners.push(listener);
  }

  watchEdges(listener: (edges: readonly Edge[] | null) => void): void {
    this.#edgeListeners.push(listener);
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  async #catchUp(): Promise<void> {
    if (!this.#isOpen) await this.#open();
    const { record } = this.#options;
    const before = this.seq;
    for (;;) {
      const { seq, complete } = this.#position!;
      // A copy that keeps up reads pages that it can apply as a whole.
      const limit = this.#hasCaughtUp ? WHOLE_UNITS : PAGE_ROWS;
      const page = await record.since({ after: seq, complete, limit });
      this.#note(page.head);
      // Reading a page has taken its share of this tick.
      if (page.through > seq) await ownTurn();
      await this.#follow(page);
      if (page.through < page.head) continue;
      await this.#setEmbedders(page.embedders);
      this.#reindex = page.reindex;
      this.#hasCaughtUp = true;
      this.#behindSince = null;
      if (this.seq > before) this.notify();
      return;
    }
  }

  /** A copy belongs to one record, and never has more than it. */
  async #open(): Promise<void> {
    const { record, copy } = this.#options;
    const id = await record.open();
    const position = copy.position;
    if (position !== null && position.record !== id) {
      throw new DowserError(
        'INVALID_SETTING',
        `The data folder is the copy of another record than ${record.address}.`,
        {
          field: 'store',
          hint: "Correct the setting 'store', choose another data folder, or delete this one: it is a copy.",
        },
      );
    }
    const head = await record.head();
    if (position !== null && position.seq > head) {
      throw new DowserError(
        'STORE_LOST_WRITES',
        `The record at ${record.address} ends at write ${head}; the copy of this node has ${position.seq}.`,
        {
          hint: 'If the record was restored from a backup, delete the data folder of every node and start again.',
          details: { revision: head, last_revision: position.seq },
        },
      );
    }
    this.#position = position ?? { record: id, seq: 0, complete: -1 };
    this.#isOpen = true;
  }

  async #setEmbedders(embedders: EmbedderStates): Promise<void> {
    const isSwitched = await this.#options.copy.setEmbedders(embedders);
    this.#embedders = embedders;
    if (isSwitched) this.notify();
  }

  #note(head: number): void {
    this.#head = head;
    if (head > this.seq) this.#behindSince ??= Date.now();
  }

  /** In slices, so that searches and checkpoints of the copy can run between them. A small page is one slice. */
  async #follow(page: RecordPage): Promise<void> {
    if (page.through === this.seq && this.#position!.complete === page.head) return;
    const { record, complete } = this.#position!;
    const isLast = page.through === page.head;
    const position = { record, seq: page.through, complete: isLast ? page.head : complete };
    const whole = wholePage(page);
    if (whole === null) {
      for (const slice of pageSlices(page)) {
        await this.#options.copy.apply(slice, null);
        await ownTurn();
      }
    }
    await this.#apply(whole ?? {}, position);
    if (page.edges.length === 0) return;
    const hasDeleted = page.edges.some(({ isDeleted }) => isDeleted);
    const edges = hasDeleted ? null : page.edges.map(({ edge }) => edge);
    for (const listener of this.#edgeListeners) listener(edges);
  }

  async #apply(changes: CopyChanges, position: CopyPosition): Promise<void> {
    await this.#options.copy.apply(changes, position);
    this.#position = position;
    this.#head = Math.max(this.#head, position.seq);
    for (const check of [...this.#waiters]) check();
  }
}
