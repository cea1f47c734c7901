import { analyzeQuery, FILLER_TERMS } from '../text/analyzer.ts';

/** More parts make a search slower and find little more. */
export const MAX_PARTS = 16;

/** A piece with fewer content terms is too short to search for. It is joined with its neighbor. */
const MIN_TERMS = 3;

/**
 * A longer text is embedded by its parts alone, see `query-vectors.ts`. Then each part costs time, so a short one is joined
 * with the next: on long tasks this finds as much and takes half the processor time.
 */
export const MAX_WHOLE_CHARS = 512;
const MIN_PART_CHARS = 60;

/** A sentence with more content terms is split into clauses: it probably asks for several things. */
const MAX_SENTENCE_TERMS = 12;

/** Ends of sentences, lines and list items. A dot inside a number, a name or an address is not an end. */
const SENTENCE_END = /(?<=[.!?…])["')\]]*\s+|(?<=[。！？])|[^\S\r\n]?[\r\n]\s*(?:[-*•]\s+|\d+[.)]\s+)?/u;

const CLAUSE_END = /[;:,]\s+|\s(?=(?:and|then|also|or|but)\s)/iu;

/** Every boundary has one of these. */
const MAY_SPLIT = /[.!?…。！？\r\n;:,]|\s(?:and|then|also|or|but)\s/iu;

/**
 * Splits a query that asks for several things into parts: its sentences, and the clauses of long sentences.
 * Returns an empty list if the query has only one part.
 */
export function splitQuery(query: string): readonly string[] {
  // Most queries have no boundary at all, and counting terms would take longer than the rest of the plan.
  if (!MAY_SPLIT.test(query)) return [];
  // Long runs of blanks would make the patterns slow.
  const text = query.replaceAll(/[^\S\r\n]+/gu, ' ');
  if (!SENTENCE_END.test(text) && !CLAUSE_END.test(text)) return [];
  const pieces: string[] = [];
  for (const sentence of text.split(SENTENCE_END)) {
    if (contentTerms(sentence) > MAX_SENTENCE_TERMS) pieces.push(...joinShort(sentence.split(CLAUSE_END), ', '));
    else pieces.push(sentence);
  }
  const joined = joinShort(pieces, ' ');
  const parts = text.length > MAX_WHOLE_CHARS ? joinWhile(joined, MIN_PART_CHARS) : joined;
  return parts.length < 2 ? [] : mergeEvenly(parts, MAX_PARTS);
}

/** The number of distinct terms that are not filler words. */
function contentTerms(text: string): number {
  let count = 0;
  for (const { term } of analyzeQuery(text)) if (!FILLER_TERMS.has(term)) count++;
  return count;
}

function joinShort(pieces: readonly string[], separator: string): string[] {
  const joined: string[] = [];
  let pending: string[] = [];
  let terms = 0;
  for (const piece of pieces) {
    const text = piece.trim();
    if (text === '') continue;
    pending.push(text);
    terms += contentTerms(text);
    if (terms < MIN_TERMS) continue;
    joined.push(pending.join(separator));
    pending = [];
    terms = 0;
  }
  if (pending.length > 0) joined.push([...joined.splice(-1), ...pending].join(separator));
  return joined;
}

/** Joins each part with the next ones while it is shorter than this. */
function joinWhile(parts: readonly string[], minChars: number): readonly string[] {
  const joined: string[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last !== undefined && last.length < minChars) joined[joined.length - 1] = `${last} ${part}`;
    else joined.push(part);
  }
  return joined;
}

/** Merges neighbors until there are at most `count` parts of about the same number of pieces. */
function mergeEvenly(parts: readonly string[], count: number): readonly string[] {
  if (parts.length <= count) return parts;
  const joined: string[] = [];
  for (let i = 0; i < count; i++) {
    const from = Math.floor((i * parts.length) / count);
    const to = Math.floor(((i + 1) * parts.length) / count);
    joined.push(parts.slice(from, to).join(' '));
  }
  return joined;
}
