import { FIELDS, type Unit } from '../../model/entity-parts/unit.ts';
import { analyze } from './analyzer.ts';

/**
 * The lower-cased words of a text, with repeats, for the registry's substring match. A query token has word characters
 * only, so a text contains a token exactly when one of these words contains it.
 *
 * The text is lower-cased before it is split, as in the registry. U+0307 counts as a word character, because
 * lower-casing the Turkish capital İ produces it. No other letter has this problem.
 */
export function rawWords(text: string): readonly string[] {
  return text.toLowerCase().match(WORDS) ?? [];
}

const WORDS = /[\u0307\p{L}\p{N}_]+/gu;

/**
 * The terms and words of a unit: enough to index it, to remove it from the index and to explain its scores.
 * It is stored (`encodeAnalyzedUnit`), so each text is analyzed only once.
 */
export interface AnalyzedUnit {
  /** Distinct terms, in order of first appearance. */
  readonly terms: readonly string[];
  /** For each term, its count per field: four bits per field in the order of FIELDS, lowest bits first, at most 15. */
  readonly counts: Uint32Array;
  /** The number of terms in each field, in the order of FIELDS. 0 for a missing field. */
  readonly lengths: Uint32Array;
  /** Distinct words for the substring boost, see `rawWords`. */
  readonly words: readonly string[];
  /** For each word, the fields that contain it: one bit per field in the order of FIELDS, lowest bit first. */
  readonly wordFields: Uint8Array;
}

/** The largest count that fits four bits. Higher counts would barely change a BM25 score. */
export const MAX_COUNT = 15;

/** The count of a term in one field, from its packed counts. */
export function countOf(counts: number, field: number): number {
  return (counts >>> (4 * field)) & MAX_COUNT;
}

export function analyzeUnit(fields: Unit['fields']): AnalyzedUnit {
  const counts = new Map<string, number>();
  const wordFields = new Map<string, number>();
  const lengths = new Uint32Array(FIELDS.length);
  FIELDS.forEach((name, field) => {
    const text = fields[name] ?? '';
    if (text === '') return;
    const terms = wholeCharacters(analyze(text), text);
    lengths[field] = terms.length;
    for (const term of terms) {
      const packed = counts.get(term) ?? 0;
      if (countOf(packed, field) < MAX_COUNT) counts.set(term, (packed + 2 ** (4 * field)) >>> 0);
    }
    for (const word of wholeCharacters(rawWords(text), text))
      wordFields.set(word, (wordFields.get(word) ?? 0) | (1 << field));
  });
  return {
    terms: [...counts.keys()],
    counts: Uint32Array.from(counts.values()),
    lengths,
    words: [...wordFields.keys()],
    wordFields: Uint8Array.from(wordFields.values()),
  };
}

const SURROGATE = /[\ud800-\udfff]/;
const HALF_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The record is UTF-8, which has no half characters: a term with one would not be found again to remove it. */
function wholeCharacters(terms: readonly string[], text: string): readonly string[] {
  if (!SURROGATE.test(text)) return terms;
  return terms.map((term) => term.replace(HALF_PAIR, '\ufffd'));
}
