import type { Explanation } from '../../model/explanation.ts';
import type { SearchResult } from '../../model/result.ts';
import { formatCount } from './progress.ts';

/** A score as it is told: what counted how much, in words, with the figures behind it. */
export interface Told {
  readonly label: string;
  readonly value: number;
  readonly note?: string;
  readonly parts?: readonly Told[];
}

export type Explained = Pick<SearchResult, 'name' | 'matched_unit'>;

/** Rounding below this changes no figure that is shown. */
const LEAST_ROUNDING = 1e-4;
/** A part this small is the remainder of a floating-point sum, not a reason. */
const NOTHING = 1e-9;

/** Steps on the way to a score that say nothing besides their parts: these are told in their place. */
const STEPS = ['relevance', 'fusion', 'identifier', 'bm25f', 'coverage', 'boost'];

const LEGS: Readonly<Record<string, string>> = { vector: 'by meaning', keyword: 'by keyword' };

const WORDS: Readonly<Record<string, string>> = {
  relevance: 'score',
  fusion: 'found',
  'vector unknown, taken as average': 'by meaning: not known yet, taken as average',
  'lowest candidate': 'taken off, so that the lowest candidate has 0',
  'lowest score of the page': 'taken off, so that scores begin at 0',
  card: 'what its card says besides',
};

const figure = (value: number | string | undefined): string =>
  typeof value === 'number' ? String(Number(value.toPrecision(3))) : String(value);

/** What a leg found, as a person would call it: the part that is shown, the entity as a whole, or another part. */
function partName(title: unknown, { name, matched_unit: shown }: Explained): string {
  if (title === shown.title) return shown.kind === 'card' ? 'its card' : `${shown.kind.replace('_', ' ')} ${title}`;
  return title === name ? 'its card' : `part ${title}`;
}

function legNote({ label, detail = {} }: Explanation): string {
  const { rank, score, weight, k, of } = detail;
  const place = rank === undefined ? 'not in its list' : `rank ${rank}`;
  const measure = label === 'vector' ? 'cosine' : 'score';
  const facts = [
    [measure, score],
    ['of', of === 1 ? undefined : of],
    ['weight', weight],
    ['k', k],
  ] as const;
  return [place, ...facts.flatMap(([word, value]) => (value === undefined ? [] : [`${word} ${figure(value)}`]))].join(
    ', ',
  );
}

/** A word of the query: in which fields it is, and how rare. */
function tellWord({ label, value, parts = [], detail = {} }: Explanation): Told {
  const { units_with_term: having, units } = detail;
  const fields = parts.map((part) => part.label).join(', ');
  const note = `in ${formatCount(Number(having))} of ${formatCount(Number(units))} parts`;
  return { label: `${label}, in ${fields}`, value, note };
}

function isReason({ label, value }: Explanation): boolean {
  return Math.abs(value) >= (label === 'rounding' ? LEAST_ROUNDING : NOTHING);
}

function tell(node: Explanation, result: Explained): Told {
  const { label, value, detail = {} } = node;
  if ('units_with_term' in detail) return tellWord(node);
  const parts = tellParts(node, result);
  const below = parts.length === 0 ? {} : { parts };
  const leg = LEGS[label];
  // Without words there is nothing that a leg could find better or worse.
  if (leg !== undefined && node.parts?.[0]?.label === 'constant') return { label: 'fits the filters', value };
  if (leg !== undefined)
    return { label: `${leg}, ${partName(detail.unit, result)}`, value, note: legNote(node), ...below };
  const facts = Object.entries(detail).map(([name, fact]) => `${name} ${figure(fact)}`);
  return { label: WORDS[label] ?? label, value, ...(facts.length === 0 ? {} : { note: facts.join(', ') }), ...below };
}

function tellParts({ parts = [] }: Explanation, result: Explained): readonly Told[] {
  return parts.filter(isReason).flatMap((part) => {
    const told = tell(part, result);
    return STEPS.includes(part.label) && told.parts !== undefined ? told.parts : [told];
  });
}

/** An explanation in words: what each leg found, at which rank, which words counted, what lifted it. The numbers are the same. */
export function scoreStory(explanation: Explanation, result: Explained): Told {
  return tell(explanation, result);
}

/**
 * What a reader should know who sees one part and reads of another: the part that is shown is what both legs together found
 * best, while each leg counts what it found best itself. Null where it is the same.
 */
export function scoredInstead(explanation: Explanation, result: Explained): string | null {
  const { matched_unit: shown } = result;
  const others = legsOf(explanation).filter(({ detail }) => detail?.unit !== shown.title);
  if (others.length === 0) return null;
  const scored = others.map(({ label, detail }) => `${partName(detail?.unit, result)} ${LEGS[label]}`);
  return `Shown is ${partName(shown.title, result)}; what scored is ${scored.join(' and ')}.`;
}

function legsOf(node: Explanation): readonly Explanation[] {
  if (node.label in LEGS && node.detail?.unit !== undefined) return [node];
  return (node.parts ?? []).flatMap(legsOf);
}
