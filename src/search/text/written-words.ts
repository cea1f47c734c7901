import { plainTerm } from './identifier-terms.ts';
import { visitTerms } from './visit-terms.ts';

/** What stands between two blanks. */
export interface WrittenWord {
  /** As written. */
  readonly text: string;
  /** Whether it is nothing but lower-case letters from a to z, and so has one term, or none if it says nothing. */
  readonly isPlain: boolean;
  readonly terms: readonly WordTerm[];
}

export interface WordTerm {
  readonly term: string;
  /** Whether it is a part of an identifier. */
  readonly isPart: boolean;
}

/** The blanks of ASCII are the space and everything from tab to carriage return. */
const TAB = 0x09;
const RETURN = 0x0d;
const SPACE = 0x20;
const LETTER_A = 0x61;
const LETTER_Z = 0x7a;
const LAST_ASCII = 0x7f;

/** Longer texts are no queries, and not worth remembering. */
const LONGEST = 400;

let lastText = '';
let lastWords: readonly WrittenWord[] | null = [];

/**
 * The words of a short text in ASCII; null for any other text. There no token crosses a blank, so the terms of the text
 * are those of its words. One search reads its query several times, so the last answer is kept.
 */
export function asciiWords(text: string): readonly WrittenWord[] | null {
  if (text !== lastText) {
    lastWords = text.length > LONGEST ? null : cut(text);
    lastText = text;
  }
  return lastWords;
}

/** The words of a short text of nothing but plain words; null for any other text. */
export function plainWords(text: string): readonly WrittenWord[] | null {
  const words = asciiWords(text);
  if (words === null) return null;
  for (const word of words) if (!word.isPlain) return null;
  return words;
}

function cut(text: string): readonly WrittenWord[] | null {
  const words: WrittenWord[] = [];
  let start = 0;
  let isPlain = true;
  for (let at = 0; at <= text.length; at++) {
    const code = at === text.length ? SPACE : text.charCodeAt(at);
    if (code >= LETTER_A && code <= LETTER_Z) continue;
    if (code > LAST_ASCII) return null;
    if (code !== SPACE && (code < TAB || code > RETURN)) isPlain = false;
    else {
      if (at > start) words.push(writtenWord(text.slice(start, at), isPlain));
      start = at + 1;
      isPlain = true;
    }
  }
  return words;
}

/** One word of any text; `isPlain` is whether it is nothing but lower-case letters from a to z. */
export function writtenWord(text: string, isPlain: boolean): WrittenWord {
  const terms: WordTerm[] = [];
  if (isPlain) {
    const term = plainTerm(text);
    if (term !== '') terms.push({ term, isPart: false });
  } else {
    visitTerms(text, (term, isPart) => {
      terms.push({ term, isPart });
    });
  }
  return { text, isPlain, terms };
}
