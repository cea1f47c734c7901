import { FIELDS, type Unit } from '../../model/unit.ts';
import { analyze } from './analyzer.ts';
import { rawWords } from './raw-words.ts';

/**
 * What the keyword leg keeps of a unit: enough to index it, to take it out again and to explain its scores, so that
 * text is analyzed once in its life. Made by `analyzeUnit`, stored through `encodeAnalyzedUnit`.
 */
export interface AnalyzedUnit {
  /** Distinct terms, in order of first appearance. */
  readonly terms: readonly string[];
  /** For each term its count in each field: four bits a field in the order of FIELDS, lowest first, capped at 15. */
  readonly counts: Uint32Array;
  /** The length of each field in terms, in the order of FIELDS; 0 for a field the unit does not have. */
  readonly lengths: Uint32Array;
  /** Distinct raw words for the substring boost: lower-cased runs of word characters. */
  readonly words: readonly string[];
  /** For each word the fields that hold it: one bit a field in the order of FIELDS, lowest first. */
  readonly wordFields: Uint8Array;
}

/** Four bits a field: past this a further repeat would change a BM25 score by next to nothing. */
export const MAX_COUNT = 15;

/** How often a term is in a field, from its packed counts. */
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
    const terms = analyze(text);
    lengths[field] = terms.length;
    for (const term of terms) {
      const packed = counts.get(term) ?? 0;
      if (countOf(packed, field) < MAX_COUNT) counts.set(term, (packed + 2 ** (4 * field)) >>> 0);
    }
    for (const word of rawWords(text)) wordFields.set(word, (wordFields.get(word) ?? 0) | (1 << field));
  });
  return {
    terms: [...counts.keys()],
    counts: Uint32Array.from(counts.values()),
    lengths,
    words: [...wordFields.keys()],
    wordFields: Uint8Array.from(wordFields.values()),
  };
}
