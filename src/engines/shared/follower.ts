import type { Edge } from '../../model/entity-parts/edge.ts';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { ownTurn } from '../../turns/search-turns.ts';
import type { CopyChanges, CopyPosition, LocalCopy } from '../embedded/local-copy.ts';
import type { ReindexState, ReplicaStatus, Revision } from '../replica.ts';
import type { EmbedderStates, RecordHead, RecordPage, SharedRecord } from '../shared-record.ts';
import { WriteTurns } from '../write-turns.ts';
import { Freshness, type FreshnessOptions } from './freshness.ts';
import type { KeyCopy } from './key-copy.ts';
import { pageSlices, WHOLE_UNITS, wholePage } from './page-slices.ts';
import { Rebuild } from './rebuild.ts';

/** Rows of a page of a copy that lacks much. A page of vectors takes some megabytes. */
const PAGE_ROWS = 1000;

export interface FollowerOptions extends FreshnessOptions {
  readonly record: SharedRecord;
  readonly copy: LocalCopy;
  /** Default: keys are not followed. */
  readonly keys?: KeyCopy;
}

/** Brings a copy up to date with the record, one change at a time. */
export class Follower {
  readonly #options: FollowerOptions;
  /** One change of the copy at a time: what comes from the record, and what this node has written itself. */
  readonly #applying = new WriteTurns();
  readonly #listeners: (() => void)[] = [];
  readonly #edgeListeners: ((edges: readonly Edge[] | null) => void)[] = [];
  readonly #waiters = new Set<() => void>();
  readonly #freshness: Freshness;
  #position: CopyPosition | null;
  #head: number;
  #hasCaughtUp = false;
  #isOpen = false;
  #rebuild: Rebuild | null = null;
  #error: DowserError | null = null;
  #embedders: EmbedderStates | null = null;
  #reindex: ReindexState | null = null;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#freshness = new Freshness(options);
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
    const { complete = -1, isRebuilding = false } = this.#position ?? {};
    return this.#hasCaughtUp || complete >= 0 || isRebuilding;
  }

  has(revision: Revision): boolean {
    return this.#isOfEpoch(revision) && this.seq >= revision.seq;
  }

  status(): ReplicaStatus {
    const isFollowing = this.#hasCaughtUp && this.#rebuild === null;
    return {
      epoch: this.#position?.epoch ?? '',
      revision: this.seq,
      head: Math.max(this.#head, this.seq),
      behindMs: this.#freshness.behindMs,
      isReady: isFollowing && this.#freshness.isReady(this.#error),
      isRebuilding: this.#rebuild !== null,
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

  /** Throws where a write would have to wait for long: it must not begin a turn then. */
  checkWritable(): void {
    if (this.#hasCaughtUp && this.#rebuild === null) return;
    if (this.#error !== null) throw this.#error;
    throw new DowserError('REPLICA_BEHIND', 'This node has not read all of the shared record yet.', {
      hint: 'Nothing of this write was stored. Try again in a moment, or ask another node.',
    });
  }

  /** In a turn: reads what others have written before it. */
  async catchUpTo({ seq, tip }: RecordHead): Promise<void> {
    const isAt = () => this.#position?.complete === seq && this.#position.tip === tip;
    if (isAt() && this.#embedders !== null) return;
    await this.#applying.take(async () => {
      this.checkWritable();
      if (!isAt() || this.#embedders === null) await this.#readPages(false);
    });
  }

  /** Applies what this node has just written, unless it has come back from the record already. */
  applyOwn(head: RecordHead, changes: CopyChanges): Promise<void> {
    return this.#applying.take(async () => {
      if (head.seq <= this.seq || this.#rebuild !== null) return;
      await this.#apply(changes, { ...this.#position!, seq: head.seq, complete: head.seq, tip: head.tip });
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

  /**
   * False if the revision did not come in time. Another epoch has ended, unless this node has not heard of it yet: the record is
   * asked before it is ignored.
   */
  reached(revision: Revision, timeoutMs: number): Promise<boolean> {
    const askedAt = this.#freshness.now;
    const isOver = () => this.has(revision) || (!this.#isOfEpoch(revision) && this.#freshness.confirmedAt >= askedAt);
    if (isOver()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const done = (isReached: boolean) => {
        clearTimeout(timer);
        this.#waiters.delete(check);
        resolve(isReached);
      };
      const check = () => {
        if (isOver()) done(true);
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

  #isOfEpoch({ epoch }: Revision): boolean {
    return epoch === null || epoch === this.#position?.epoch;
  }

  async #catchUp(): Promise<void> {
    if (!this.#isOpen) await this.#open();
    await this.#readPages(true);
  }

  async #readPages(mayRebuild: boolean): Promise<void> {
    const { record } = this.#options;
    const seqBefore = this.seq;
    for (;;) {
      const { seq, complete, tip, purged } = this.#position!;
      // A copy that keeps up reads pages that it can apply as a whole.
      const limit = this.#hasCaughtUp && this.#rebuild === null ? WHOLE_UNITS : PAGE_ROWS;
      const sentAt = this.#freshness.now;
      const page = await record.since({ after: seq, complete, seen: tip, purged, limit });
      this.#checkRecord(page.head);
      // Before a page, which may be long in coming: a revoked key must not wait for it.
      if (await this.#options.keys?.follow(page.head, record)) this.notify();
      if (!page.isKnown) {
        // Not ready from here on. The position stays until the epoch has ended: if that fails, it is tried again.
        this.#hasCaughtUp = false;
        await this.#endEpoch(page.head);
        await this.#startAgain(page.head);
        if (!mayRebuild) this.checkWritable();
        continue;
      }
      this.#head = page.head.seq;
      if (page.head.seq > seq) this.#freshness.lack();
      // Reading a page has taken its share of this tick.
      if (page.through > seq) await ownTurn();
      await this.#follow(page);
      if (page.through < page.head.seq) continue;
      await this.#setEmbedders(page.embedders);
      this.#reindex = page.reindex;
      this.#hasCaughtUp = true;
      this.#freshness.confirm(sentAt);
      this.#checkWaiters();
      if (this.seq > seqBefore) this.notify();
      return;
    }
  }

  async #open(): Promise<void> {
    const head = await this.#options.record.open();
    const { position } = this.#options.copy;
    if (position !== null) this.#checkRecord(head, position);
    const { record, epoch, purged } = head;
    this.#position = position ?? { record, epoch, seq: 0, complete: -1, tip: null, purged, isRebuilding: false };
    // What the record had when it began is forgotten with the process.
    if (this.#position.isRebuilding) await this.#startAgain(head);
    this.#isOpen = true;
  }

  /** A copy belongs to one record. */
  #checkRecord({ record }: RecordHead, position = this.#position!): void {
    if (record === position.record) return;
    throw new DowserError(
      'INVALID_SETTING',
      `The data folder is the copy of another record than ${this.#options.record.address}.`,
      {
        field: 'store',
        hint: "Correct the setting 'store', choose another data folder, or delete this one: it is a copy.",
      },
    );
  }

  /**
   * The record went back in time, or this copy has been away for so long that deletions are forgotten. Only the first leads to
   * a new epoch: callers know revisions that no longer are.
   */
  async #endEpoch(head: RecordHead): Promise<void> {
    const { epoch, tip } = this.#position!;
    const seen = Number.parseInt(tip ?? '', 10);
    if (seen >= head.purged && epoch === head.epoch) await this.#options.record.endEpoch(epoch);
  }

  async #startAgain(head: RecordHead): Promise<void> {
    this.#rebuild = new Rebuild();
    const start = { seq: 0, complete: -1, tip: null, purged: head.purged, isRebuilding: true };
    await this.#apply({}, { ...this.#position!, ...start });
    this.notify();
  }

  async #setEmbedders(embedders: EmbedderStates): Promise<void> {
    const isSwitched = await this.#options.copy.setEmbedders(embedders);
    this.#embedders = embedders;
    if (isSwitched) this.notify();
  }

  /** In slices, so that searches and checkpoints of the copy can run between them. A small page is one slice. */
  async #follow(page: RecordPage): Promise<void> {
    const { copy } = this.#options;
    const { head, through } = page;
    const { complete, epoch, tip } = this.#position!;
    if (complete === head.seq && tip === head.tip && epoch === head.epoch) return;
    this.#rebuild?.read(page);
    const isLast = through === head.seq;
    const whole = wholePage(page);
    const slices = whole === null ? pageSlices(page) : [];
    await this.#applySlices(slices);
    // Before the position says that the copy has no more than the record.
    if (isLast && this.#rebuild !== null) await this.#applySlices(this.#rebuild.leftovers(copy.ids(), copy.edges()));
    await this.#apply(whole ?? {}, {
      ...this.#position!,
      epoch: head.epoch,
      tip: head.tip,
      seq: through,
      ...(isLast ? { complete: head.seq, purged: head.purged, isRebuilding: false } : {}),
    });
    const isRebuilt = isLast && this.#rebuild !== null;
    if (isRebuilt) this.#rebuild = null;
    if (page.edges.length === 0 && !isRebuilt) return;
    const hasDeleted = isRebuilt || page.edges.some(({ isDeleted }) => isDeleted);
    const edges = hasDeleted ? null : page.edges.map(({ edge }) => edge);
    for (const listener of this.#edgeListeners) listener(edges);
  }

  async #applySlices(slices: Iterable<CopyChanges>): Promise<void> {
    for (const slice of slices) {
      await this.#options.copy.apply(slice, null);
      await ownTurn();
    }
  }

  async #apply(changes: CopyChanges, position: CopyPosition): Promise<void> {
    await this.#options.copy.apply(changes, position);
    this.#position = position;
    this.#checkWaiters();
  }

  #checkWaiters(): void {
    for (const check of [...this.#waiters]) check();
  }
}
