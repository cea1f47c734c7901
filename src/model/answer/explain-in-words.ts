import type { Explanation } from './explanation.ts';

const WORDS = /[\p{L}\p{N}]+(?:[_'’-][\p{L}\p{N}]+)*/gu;
/** Words that a sentence names. */
const MAX_NAMED = 4;

/** The letters that a part of a joined name has. A shorter ending is in many words. */
const MIN_PART = 3;

/** A word of the query by its indexed form: `creat` is `create`. The form itself if no word is like it. */
export function queryWordOf(term: string, query: string): string {
  const words = [...query.toLowerCase().matchAll(WORDS)].flatMap(([word]) => [word, ...word.split(/[_'’-]/)]);
  const like = words.filter((word) => sharedLetters(word, term) >= Math.max(2, term.length - 1));
  // The index also has the parts of a joined name: `hub` of `GitHub`.
  const whole = words.find((word) => term.length >= MIN_PART && word.endsWith(term));
  return words.find((word) => word === term) ?? like.sort((a, b) => a.length - b.length)[0] ?? whole ?? term;
}

function sharedLetters(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  return at;
}

/** Whether a part of an explanation is a word of the query. */
export const isWord = ({ detail }: Explanation): boolean => detail !== undefined && 'units_with_term' in detail;

/** The label of a word in an explanation, as the query has it: `issu → issue` is of a misspelled one. */
export const wordLabel = (label: string, query: string): string =>
  label
    .split(' → ')
    .map((term) => queryWordOf(term, query))
    .join(' → ');

/** Why a result is there, in one sentence. Null for a search without words, or a ranking that has no legs. */
export function explainInWords(explanation: Explanation, query: string): string | null {
  const meaning = legOf(explanation, 'vector');
  const keyword = legOf(explanation, 'keyword');
  const words = keyword === undefined ? [] : wordsBelow(keyword).sort((a, b) => b.value - a.value);
  const isNear = meaning !== undefined && meaning.value > 0;
  if (!isNear && words.length === 0) return null;
  const named = [...new Set(words.slice(0, MAX_NAMED).map(({ label }) => `“${wordLabel(label, query)}”`))];
  const holder = keyword === undefined ? 'It' : partOf(keyword);
  if (!isNear) return `${holder} has ${list(named)}. Nothing of it is near in meaning.`;
  const near = `${partOf(meaning)} is near in meaning`;
  if (named.length === 0) return `${near}. It has no word of the query.`;
  return holder === partOf(meaning) ? `${near} and has ${list(named)}.` : `${near}. ${holder} has ${list(named)}.`;
}

/** `Its tool create_issue` */
function partOf({ detail = {} }: Explanation): string {
  const { unit, unit_kind: kind = 'part' } = detail;
  return kind === 'card' || unit === undefined ? 'Its description' : `Its ${String(kind).replace('_', ' ')} ${unit}`;
}

function legOf(node: Explanation, label: string): Explanation | undefined {
  if (node.label === label && node.detail?.unit !== undefined) return node;
  for (const part of node.parts ?? []) {
    const found = legOf(part, label);
    if (found !== undefined) return found;
  }
  return undefined;
}

const wordsBelow = (node: Explanation): Explanation[] =>
  isWord(node) ? [node] : (node.parts ?? []).flatMap(wordsBelow);

const list = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
