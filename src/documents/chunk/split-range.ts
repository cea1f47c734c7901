import { lastAtMost } from './last-at-most.ts';

/** A part of a text. `end` is not included. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface SplitLimits {
  readonly maxChars: number;
  /** At most half of `maxChars`, so that every part begins after the one before it. */
  readonly overlapChars: number;
}

/**
 * Parts of a range, none longer than the limit. Cuts at the last strong break of the second half of each part: a block,
 * a blank line, a line, a sentence, a word, and any character where there is none of these. `blockStarts` is ascending.
 */
export function splitRange(
  text: string,
  range: Range,
  limits: SplitLimits,
  blockStarts: readonly number[] = [],
): Range[] {
  const parts: Range[] = [];
  let { start } = range;
  while (range.end - start > limits.maxChars) {
    const cut = bestCut(text, start + Math.floor(limits.maxChars / 2) + 2, start + limits.maxChars, blockStarts);
    parts.push({ start, end: cut });
    start = overlapStart(text, cut, limits.overlapChars);
  }
  parts.push({ start, end: range.end });
  return parts;
}

/** Cuts by length alone, never between the halves of a character. */
export function fixedRanges(text: string, range: Range, { maxChars, overlapChars }: SplitLimits): Range[] {
  const parts: Range[] = [];
  let { start } = range;
  while (range.end - start > maxChars) {
    const cut = wholeCharacter(text, start + maxChars);
    parts.push({ start, end: cut });
    start = wholeCharacter(text, cut - overlapChars);
  }
  parts.push({ start, end: range.end });
  return parts;
}

/** Where a part of a text ends, from `low` to `high`. */
function bestCut(text: string, low: number, high: number, blockStarts: readonly number[]): number {
  const block = blockStarts[lastAtMost(blockStarts, high)] ?? -1;
  if (block >= low) return block;
  // A slice, so that a search for a break never runs through the rest of a long text.
  const from = low - 2;
  const window = text.slice(from, high);
  const blank = window.lastIndexOf('\n\n');
  if (blank >= 0) return from + blank + 2;
  const line = window.lastIndexOf('\n');
  if (line > 0) return from + line + 1;
  let word = -1;
  for (let at = high; at >= low; at--) {
    if (isSentenceEnd(text, at)) return at;
    if (word < 0 && isSpace(text.charCodeAt(at - 1))) word = at;
  }
  return word >= 0 ? word : wholeCharacter(text, high);
}

/** Where the next part begins: a line or a word of the last `overlapChars` before the cut. */
function overlapStart(text: string, cut: number, overlapChars: number): number {
  if (overlapChars === 0) return cut;
  const from = cut - overlapChars;
  const line = text.slice(from - 1, cut - 1).indexOf('\n');
  if (line >= 0) return from + line;
  for (let at = from; at < cut; at++) if (isSpace(text.charCodeAt(at - 1))) return at;
  return wholeCharacter(text, from);
}

/** After the space that follows a full stop, or after a full stop of Chinese or Japanese. */
function isSentenceEnd(text: string, at: number): boolean {
  const before = text[at - 1]!;
  if ('。！？'.includes(before)) return true;
  return isSpace(before.charCodeAt(0)) && at > 1 && '.!?:;'.includes(text[at - 2]!);
}

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 9 || code === 0xa0;

/** Moves back from the middle of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isLow && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 ? at - 1 : at;
}
