import { type Explanation, leaf, sum } from '../../model/answer/explanation.ts';
import { FIELDS, type Field } from '../../model/entity-parts/unit.ts';
import { inverseFrequency, TermFrequency, toScoreUnits } from '../../search/keyword/bm25f.ts';
import { explainTerm } from '../../search/keyword/explain-term.ts';
import { FieldLengths } from '../../search/keyword/field-lengths.ts';
import { discounted } from '../../search/keyword/postings/merge-postings.ts';
import { FuzzyTerms } from '../../search/keyword/terms/fuzzy-terms.ts';
import { SortedWords } from '../../search/keyword/terms/term-lists.ts';
import type { AnalyzedUnit } from '../../search/text/analyzed-unit.ts';
import { analyzeQuery } from '../../search/text/analyzer.ts';

/** Explained scores by the formula, unit by unit, without posting lists and shortcuts. */
export function referenceBm25f(query: string, units: readonly AnalyzedUnit[]): Explanation[] {
  const lengths = new FieldLengths();
  for (const [row, unit] of units.entries()) lengths.set(row, unit.lengths);
  const tf = new TermFrequency(lengths);

  const unitsWith = new Map<string, number>();
  for (const { terms } of units) for (const term of terms) unitsWith.set(term, (unitsWith.get(term) ?? 0) + 1);
  const frequencyOf = (term: string) => unitsWith.get(term) ?? 0;
  const fuzzyTerms = new FuzzyTerms(new SortedWords([...unitsWith.keys()].sort().join('\n')));
  const queryTerms = analyzeQuery(query).map(({ term, frequency }) => {
    const isKnown = unitsWith.has(term);
    return { term, frequency, matches: isKnown ? [{ term, factor: 1 }] : fuzzyTerms.similarTo(term, frequencyOf) };
  });

  const size = units.length;
  return units.map((unit, row) => {
    const parts: Explanation[] = [];
    for (const { term: queryTerm, frequency, matches } of queryTerms) {
      let best: Explanation | null = null;
      let bestImpact = 0;
      for (const { term, factor } of matches) {
        const counts = unit.counts[unit.terms.indexOf(term)] ?? 0;
        const unitsWithTerm = frequencyOf(term);
        const full = toScoreUnits(inverseFrequency(size, unitsWithTerm), tf.of(row, counts));
        const impact = discounted(full, factor);
        if (impact <= bestImpact) continue;
        bestImpact = impact;
        const match = { queryTerm, term, factor, frequency, impact, unitsWithTerm, size, row, counts };
        best = explainTerm(match, tf, lengths);
      }
      if (best !== null) parts.push(best);
    }
    return sum('bm25f', parts);
  });
}

/** Null if a vector is zero. */
export function referenceCosine(a: Float32Array, b: Float32Array): number | null {
  let dot = 0;
  let lengthA = 0;
  let lengthB = 0;
  a.forEach((x, i) => {
    dot += x * b[i]!;
    lengthA += x * x;
    lengthB += b[i]! * b[i]!;
  });
  return lengthA === 0 || lengthB === 0 ? null : dot / Math.sqrt(lengthA) / Math.sqrt(lengthB);
}

/** The share of the query's terms that a unit has. */
export function referenceCoverage(query: string, unit: AnalyzedUnit): Explanation {
  const terms = analyzeQuery(query);
  const all = terms.reduce((total, { frequency }) => total + frequency, 0);
  const had = terms.filter(({ term }) => unit.terms.includes(term));
  return sum(
    'coverage',
    had.map(({ term, frequency }) => leaf(term, frequency / all)),
  );
}

/** The maximum score of a query, and the number of its terms. */
export function referenceCeiling(query: string, size: number, unitsWith: (term: string) => number) {
  let ceiling = 0;
  const terms = analyzeQuery(query);
  for (const { term, frequency } of terms) ceiling += frequency * inverseFrequency(size, unitsWith(term));
  return { ceiling, terms: terms.length };
}

/** Null without vectors. A zero vector adds nothing. */
export function referenceMean(vectors: readonly Float32Array[]): Float32Array | null {
  const [first] = vectors;
  if (first === undefined) return null;
  const total = new Float64Array(first.length);
  for (const vector of vectors) {
    const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
    vector.forEach((x, i) => {
      if (length > 0) total[i] = total[i]! + x / length / vectors.length;
    });
  }
  return Float32Array.from(total);
}

/** The fields that an explanation of BM25F names. */
export function fieldsIn({ label, parts = [] }: Explanation): readonly Field[] {
  const named = new Set([label, ...parts.flatMap(fieldsIn)]);
  return FIELDS.filter((field) => named.has(field));
}
