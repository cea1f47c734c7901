import type { ListChanges } from './list-changes.ts';

/** A change that is prepared and not yet visible. Until it is applied or discarded, nothing else may write. */
export interface PreparedChange {
  /** Makes all of it visible. Cannot fail. */
  apply(): void;
  /** After `apply`, in slices: drops words that no row has any more. */
  sweep(): Generator<void>;
  /** Instead of `apply`: leaves the index as it was. */
  discard(): void;
}

/** Words noted or dropped in a slice: about 5 milliseconds. */
const SLICE_WORDS = 20_000;

/** How an index changes its rows. */
interface ChangeSteps<C> {
  /** Notes the postings of a row. Returns how many words it has read. */
  note(change: C): number;
  /** After that, in slices: returns how to change everything but the posting lists. */
  prepare(): Generator<void, () => void>;
  /** Drops words of a row that no row has any more. Returns how many words it has read. */
  sweep(change: C): number;
  /** Drops words that were created by `note`. */
  forget(): void;
  /** The error for a row that lacks a word which is removed. */
  outOfSync(): Error;
}

export function* prepareChange<C>(
  changes: readonly C[],
  lists: ListChanges<Uint32Array> | ListChanges<Uint8Array>,
  steps: ChangeSteps<C>,
): Generator<void, PreparedChange> {
  const discard = () => {
    lists.discard();
    steps.forget();
  };
  let applyRest: (() => void) | null = null;
  try {
    yield* eachInSlices(changes, steps.note);
    if (!(yield* lists.prepare())) throw steps.outOfSync();
    applyRest = yield* steps.prepare();
  } finally {
    if (applyRest === null) discard();
  }
  const apply = () => {
    lists.apply();
    applyRest();
  };
  return { apply, sweep: () => eachInSlices(changes, steps.sweep), discard };
}

function* eachInSlices<C>(changes: readonly C[], work: (change: C) => number): Generator<void> {
  let words = 0;
  for (const change of changes) {
    words += work(change);
    if (words < SLICE_WORDS) continue;
    words = 0;
    yield;
  }
}
