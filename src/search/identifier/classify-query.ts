import type { QueryClass } from '../../model/query/query.ts';
import { type Holders, MAX_HOLDERS } from '../retrieval/retrieval.ts';
import type { Anchor } from '../text/anchors.ts';

export interface QueryClassification {
  readonly class: QueryClass;
  /** The anchors that name something: only few units hold them. */
  readonly anchors: readonly Holders[];
  /** The query has only codes, and the index has all of them, so an embedding adds nothing. */
  readonly needsNoVector: boolean;
}

export const CONCEPTUAL: QueryClassification = { class: 'conceptual', anchors: [], needsNoVector: false };

/** A term in more units than this share of the index is not a name. In a small index, MIN_NAME_UNITS applies. */
const MAX_NAME_SHARE = 0.002;
const MIN_NAME_UNITS = 3;

/** The maximum number of units that hold a name, by the number of units in the index. */
export function maxNameFrequency(indexSize: number): number {
  return Math.max(MIN_NAME_UNITS, Math.floor(MAX_NAME_SHARE * indexSize));
}

/** A code has at least two digits: D40 is a code, S3 is a product name. */
const TWO_DIGITS = /\p{N}.*\p{N}/u;

const isCode = ({ kind, text }: Anchor) => kind === 'code' && TWO_DIGITS.test(text);

export function hasOnlyCodes(anchors: readonly Anchor[]): boolean {
  return anchors.length > 0 && anchors.every(isCode);
}

/**
 * The anchors to look up in the index: all except plain words, which count only when the query is one word, or as an address
 * or package name.
 */
export function anchorsToLookUp(anchors: readonly Anchor[]): readonly Anchor[] {
  if (anchors.length === 1) return anchors;
  const selected: Anchor[] = [];
  for (const anchor of anchors) {
    if (anchor.kind !== 'word') selected.push(anchor);
    else if (anchor.identifier !== undefined) selected.push({ ...anchor, terms: [] });
  }
  return selected;
}

/** A few units hold it. Many may have the same address, such as a repository: all of them are meant. */
export function isName({ count, byIdentifier }: Pick<Holders, 'count' | 'byIdentifier'>, maxUnits: number): boolean {
  return count > 0 && count <= (byIdentifier ? MAX_HOLDERS : maxUnits);
}

/**
 * Classifies a query by the holders of its looked-up anchors. `anchorCount` is the number of all anchors in the query.
 *
 * An anchor names something if few units hold it. A plain word can be a name only if it is the whole query: `Aboleth`
 * alone is a name, but a rare word in a long question may be a coincidence.
 */
export function classifyQuery(
  holders: readonly Holders[],
  anchorCount: number,
  indexSize: number,
): QueryClassification {
  const maxUnits = maxNameFrequency(indexSize);
  const anchors: Holders[] = [];
  for (const holder of holders) if (isName(holder, maxUnits)) anchors.push(holder);
  if (anchors.length === 0) return CONCEPTUAL;
  const coversQuery = anchors.length === anchorCount;
  return {
    class: coversQuery ? 'identifier' : 'mixed',
    anchors,
    needsNoVector: coversQuery && anchors.every(({ anchor }) => isCode(anchor)),
  };
}
