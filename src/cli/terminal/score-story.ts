import { isWord, wordLabel } from '../../model/answer/explain-in-words.ts';
import type { Explanation } from '../../model/answer/explanation.ts';
import type { SearchResult } from '../../model/answer/result.ts';
import { formatCount } from './progress.ts';

/** A score in words: each part with its value and the figures behind it. */
export interface Told {
  readonly label: string;
  readonly value: number;
  readonly note?: string;
  readonly parts?: readonly Told[];
}

type Explained = Pick<SearchResult, 'matched_unit'>;

/** Rounding below this changes no figure that is shown. */
const MIN_ROUNDING = 1e-4;
/** A part this small is the remainder of a floating-point sum, not a reason. */
const NOTHING = 1e-9;

/** Steps that only add up their parts. The parts are shown in their place. */
const STEPS = ['relevance', 'fusion', 'identifier', 'bm25f', 'coverage', 'boost'];

const LEGS: ReadonlyMap<string, string> = new Map([
  ['vector', 'by meaning'],
  ['keyword', 'by keyword'],
]);

const WORDS: ReadonlyMap<string, string> = new Map([
  ['relevance', 'score'],
  ['fusion', 'found'],
  ['vector unknown, taken as average', 'by meaning: not known yet, taken as average'],
  ['card', 'what its card says besides'],
]);

const FACTS: ReadonlyMap<string, string> = new Map([['place_of', 'in the place of']]);

/** Shifts that bring scores to one scale. */
const SHIFTS: ReadonlyMap<string, string> = new Map([
  ['lowest candidate', 'so that the lowest candidate has 0'],
  ['lowest score of the page', 'so that scores begin at 0'],
]);

function wordsFor(label: string, value: number): string {
  const shift = SHIFTS.get(label);
  if (shift !== undefined) return `${value < 0 ? 'taken off' : 'added'}, ${shift}`;
  return WORDS.get(label) ?? label;
}

const figure = (value: number | string | undefined): string =>
  typeof value === 'number' ? String(Number(value.toPrecision(3))) : String(value);

/** A part of an entity, as a person would call it. */
function partName(kind: string, title: string): string {
  return kind === 'card' ? 'its card' : `${kind.replace('_', ' ')} ${title}`;
}

/** The name of a leg; undefined for other nodes. A word of the query may have the name of a leg, but has no unit. */
function legName({ label, detail }: Explanation): string | undefined {
  return detail?.unit === undefined ? undefined : LEGS.get(label);
}

/** What a leg found. */
function foundName({ detail }: Explanation): string {
  // A server of an older version does not say which kind of part it is.
  return partName(String(detail?.unit_kind ?? 'part'), String(detail?.unit));
}

/** Whether a leg found another part than the one that is shown. */
function foundAnother({ detail }: Explanation, { matched_unit: { kind, title } }: Explained): boolean {
  return detail?.unit !== title || detail.unit_kind !== kind;
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
function tellWord({ label, value, parts = [], detail = {} }: Explanation, query: string): Told {
  const { units_with_term: having, units } = detail;
  const fields = parts.map((part) => part.label).join(', ');
  const note = `in ${formatCount(Number(having))} of ${formatCount(Number(units))} parts`;
  return { label: `“${wordLabel(label, query)}” in its ${fields}`, value, note };
}

/** One part for each word of the query: the index has several forms of some, such as `github`, `git` and `hub` of `GitHub`. */
function joinWords(parts: readonly Explanation[], query: string): readonly Explanation[] {
  const joined = new Map<string, Explanation>();
  for (const part of parts) {
    const key = isWord(part) ? `word ${wordLabel(part.label, query)}` : `${joined.size} ${part.label}`;
    const before = joined.get(key);
    joined.set(key, before === undefined ? part : joinedWord(before, part));
  }
  return [...joined.values()];
}

/** The rarer form says how rare the word is. */
function joinedWord(one: Explanation, other: Explanation): Explanation {
  const having = ({ detail }: Explanation) => Number(detail?.units_with_term);
  const fields = new Map([...(one.parts ?? []), ...(other.parts ?? [])].map((field) => [field.label, field]));
  const rarer = having(other) < having(one) ? other : one;
  return { ...rarer, value: one.value + other.value, parts: [...fields.values()] };
}

function isReason({ label, value, detail }: Explanation): boolean {
  return Math.abs(value) >= (label === 'rounding' && detail === undefined ? MIN_ROUNDING : NOTHING);
}

/** An explanation in words: what each leg found, at which rank, which words counted and what raised the score. */
export function scoreStory(node: Explanation, query = ''): Told {
  const { label, value, detail = {} } = node;
  if (isWord(node)) return tellWord(node, query);
  const parts = tellParts(node, query);
  const below = parts.length === 0 ? {} : { parts };
  const leg = legName(node);
  // Without a query, every match has the same score.
  if (leg !== undefined && node.parts?.[0]?.label === 'constant') return { label: 'fits the filters', value };
  if (leg !== undefined) return { label: `${leg}, ${foundName(node)}`, value, note: legNote(node), ...below };
  const facts = Object.entries(detail).map(([name, fact]) => `${FACTS.get(name) ?? name} ${figure(fact)}`);
  return {
    label: wordsFor(label, value),
    value,
    ...(facts.length === 0 ? {} : { note: facts.join(', ') }),
    ...below,
  };
}

function tellParts({ label: step, parts = [] }: Explanation, query: string): readonly Told[] {
  // Labels are words of the query here.
  if (step === 'coverage') return parts.map(({ label, value }) => ({ label: wordLabel(label, query), value }));
  return joinWords(parts.filter(isReason), query).flatMap((part) => {
    const told = scoreStory(part, query);
    return STEPS.includes(part.label) && told.parts !== undefined ? told.parts : [told];
  });
}

/**
 * Says that the part that is shown is not the part that scored. Shown is the best part of both legs together, while each leg
 * counts its own best part. Null if they are the same.
 */
export function scoredInstead(explanation: Explanation, result: Explained): string | null {
  const others = legsOf(explanation).filter((leg) => foundAnother(leg, result));
  if (others.length === 0) return null;
  const scored = others.map((leg) => `${foundName(leg)} ${legName(leg)}`);
  const { kind, title } = result.matched_unit;
  return `Shown is ${partName(kind, title)}; what scored is ${scored.join(' and ')}.`;
}

function legsOf(node: Explanation): readonly Explanation[] {
  return legName(node) === undefined ? (node.parts ?? []).flatMap(legsOf) : [node];
}
