import { FACETS, type Facet, type FacetFilter } from '../model/entity-parts/facets.ts';

export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** The values of one facet among the candidates, most frequent first. */
export type FacetCountsOf = Readonly<Partial<Record<Facet, readonly ValueCount[]>>>;

export interface Question {
  readonly dimension: Facet;
  readonly question: string;
  /** Most frequent first. */
  readonly options: readonly string[];
}

/** ToolPilot's numbers. */
const MIN_ENTROPY = 0.1;
const MIN_CANDIDATES = 4;
const MAX_OPTIONS = 8;
export const MAX_QUESTIONS = 3;

const WORDS: Readonly<Record<Facet, string>> = {
  language: 'Which language do you use?',
  category: 'What kind of thing do you need?',
  license: 'Which license do you need?',
  deployment: 'How will you run it?',
};

/** The Shannon entropy of counts, in bits. */
export function entropy(counts: readonly number[]): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return 0;
  let bits = 0;
  for (const count of counts) if (count > 0) bits -= (count / total) * Math.log2(count / total);
  return bits;
}

export interface KnownFacets {
  readonly where: FacetFilter;
  readonly asked: readonly Facet[];
  readonly query: string;
}

/** The facets that split the candidates, the best split first. No facet that is given, was asked before or is in the query. */
export function questionsFor(
  counts: FacetCountsOf,
  candidates: number,
  known: KnownFacets,
  maxQuestions: number,
): readonly Question[] {
  if (candidates < MIN_CANDIDATES) return [];
  return FACETS.filter((facet) => known.where[facet] === undefined && !known.asked.includes(facet))
    .map((facet) => ({ facet, values: counts[facet] ?? [] }))
    .map(({ facet, values }) => ({ facet, values, bits: entropy(values.map(({ count }) => count)) }))
    .filter(({ values, bits }) => values.length >= 2 && bits >= MIN_ENTROPY && !isNamed(values, known.query))
    .sort((a, b) => b.bits - a.bits || FACETS.indexOf(a.facet) - FACETS.indexOf(b.facet))
    .slice(0, maxQuestions)
    .map(({ facet, values }) => ({
      dimension: facet,
      question: WORDS[facet],
      options: values.slice(0, MAX_OPTIONS).map(({ value }) => value),
    }));
}

/** Whether the query names one of the values: "an ORM for TypeScript" needs no question about the language. */
function isNamed(values: readonly ValueCount[], query: string): boolean {
  const words = query.toLowerCase().split(/[\s,;:!?()"']+|\.(?=\s|$)/);
  const text = ` ${words.filter((word) => word !== '').join(' ')} `;
  return values.some(({ value }) => text.includes(` ${value} `));
}
