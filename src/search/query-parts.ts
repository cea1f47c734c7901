import { ASKING_TERMS, analyzeQuery } from './text/analyzer.ts';

/** More parts cost more than they find. */
export const MAX_PARTS = 16;

/** A piece with fewer telling terms says too little to be searched for: it joins the one before it. */
const MIN_TERMS = 3;

/** A sentence with more telling terms than this names several needs: it is cut at its clauses. */
const MAX_SENTENCE_TERMS = 12;

/** Ends of sentences, of lines and of list items. A point inside a number, a name or an address ends nothing. */
const SENTENCE_END = /(?<=[.!?…])["')\]]*\s+|(?<=[。！？])|\s*[\r\n]+\s*(?:[-*•]\s+|\d+[.)]\s+)?/u;

const CLAUSE_END = /[;:,]\s+|\s+(?=(?:and|then|also|or|but)\s)/iu;

/**
 * The needs that a long query names, one text each: its sentences, and the clauses of long ones. Empty where the query is
 * one need: then the whole is all there is to search for.
 */
export function partsOf(query: string): readonly string[] {
  const pieces: string[] = [];
  for (const sentence of query.split(SENTENCE_END)) {
    if (tellingTerms(sentence) > MAX_SENTENCE_TERMS) pieces.push(...joinShort(sentence.split(CLAUSE_END), ', '));
    else pieces.push(sentence);
  }
  const parts = joinShort(pieces, ' ');
  return parts.length < 2 ? [] : atMost(parts, MAX_PARTS);
}

/** Words of asking and repeats tell nothing. */
function tellingTerms(text: string): number {
  let count = 0;
  for (const { term } of analyzeQuery(text)) if (!ASKING_TERMS.has(term)) count++;
  return count;
}

function joinShort(pieces: readonly string[], separator: string): string[] {
  const joined: string[] = [];
  let waiting = '';
  for (const piece of pieces) {
    const text = waiting === '' ? piece.trim() : `${waiting}${separator}${piece.trim()}`;
    waiting = tellingTerms(text) < MIN_TERMS ? text : '';
    if (waiting === '' && text !== '') joined.push(text);
  }
  if (waiting !== '') {
    const last = joined.pop();
    joined.push(last === undefined ? waiting : `${last}${separator}${waiting}`);
  }
  return joined;
}

/** Neighbors are joined, evenly, until there are no more than `count`. */
function atMost(parts: readonly string[], count: number): readonly string[] {
  if (parts.length <= count) return parts;
  const joined: string[] = [];
  for (let i = 0; i < count; i++) {
    const from = Math.floor((i * parts.length) / count);
    const to = Math.floor(((i + 1) * parts.length) / count);
    joined.push(parts.slice(from, to).join(' '));
  }
  return joined;
}
