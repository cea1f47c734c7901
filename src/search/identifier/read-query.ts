import type { QueryClass } from '../../model/query.ts';
import type { Holders } from '../retrieval/retrieval.ts';
import type { Anchor } from './anchors.ts';

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

/** How many units may hold a name, in an index of this many units. */
export function maxNamed(indexSize: number): number {
  return Math.max(RARE_UNITS, Math.floor(RARE_SHARE * indexSize));
}

/** At least two digits: D40 is a code, S3 is a product with relatives. */
const TWO_DIGITS = /\p{N}.*\p{N}/u;

const isCode = ({ kind, text }: Anchor) => kind === 'code' && TWO_DIGITS.test(text);

/** Nothing but codes: if the index knows them, a model has nothing to add. */
export function isOnlyCodes(anchors: readonly Anchor[]): boolean {
  return anchors.length > 0 && anchors.every(isCode);
}

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
  const most = maxNamed(indexSize);
  const anchors: Holders[] = [];
  for (const holder of holders) if (holder.count > 0 && holder.count <= most) anchors.push(holder);
  if (anchors.length === 0) return CONCEPTUAL;
  const isWhole = anchors.length === anchorCount;
  return {
    class: isWhole ? 'identifier' : 'mixed',
    anchors,
    needsNoVector: isWhole && anchors.every(({ anchor }) => isCode(anchor)),
  };
}
