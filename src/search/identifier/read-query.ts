import type { QueryClass } from '../../model/query.ts';
import type { RankedList } from '../ranking/ranked-list.ts';
import type { Anchor } from './anchors.ts';

/** Who holds an anchor, by the index. */
export interface Holders {
  readonly anchor: Anchor;
  /** The first of them, in unit order. */
  readonly units: RankedList;
  /** How many there are in all; Infinity where an engine did not count so many. */
  readonly count: number;
}

export interface QueryReading {
  readonly class: QueryClass;
  /** The anchors that name something: few units hold them exactly. */
  readonly anchors: readonly Holders[];
  /** Nothing but codes that the index knows: a model has nothing to add. */
  readonly needsNoVector: boolean;
}

export const CONCEPTUAL: QueryReading = { class: 'conceptual', anchors: [], needsNoVector: false };

/** Past this share of the index, and past this many units, a term names nothing. */
const RARE_SHARE = 0.002;
const RARE_UNITS = 3;

/** At least two digits: D40 is a code, S3 is a product with relatives. */
const TWO_DIGITS = /\p{N}.*\p{N}/u;

/** The anchors to ask the index about. */
export function telling(anchors: readonly Anchor[]): readonly Anchor[] {
  if (anchors.length === 1) return anchors;
  const found: Anchor[] = [];
  for (const anchor of anchors) if (anchor.kind !== 'word') found.push(anchor);
  return found;
}

/**
 * `holders` are those of the telling anchors, `anchorCount` is how many anchors the query has in all.
 *
 * A written identifier that few units hold is an anchor. A plain word is one only when it is all that was asked:
 * `Aboleth` names a thing, the rare word of a long question may be there by chance.
 */
export function readQuery(holders: readonly Holders[], anchorCount: number, indexSize: number): QueryReading {
  const most = Math.max(RARE_UNITS, Math.floor(RARE_SHARE * indexSize));
  const anchors: Holders[] = [];
  for (const holder of holders) if (holder.count > 0 && holder.count <= most) anchors.push(holder);
  if (anchors.length === 0) return CONCEPTUAL;
  const isWhole = anchors.length === anchorCount;
  return {
    class: isWhole ? 'identifier' : 'mixed',
    anchors,
    needsNoVector: isWhole && anchors.every(({ anchor }) => anchor.kind === 'code' && TWO_DIGITS.test(anchor.text)),
  };
}
