import { plainTerm } from './identifier-terms.ts';
import { visitTerms } from './visit-terms.ts';

/** A word of a query: the characters between two spaces. */
export interface QueryWord {
  /** As written. */
  readonly text: string;
  /** Matches PLAIN_WORD. Such a word has one term, or none if it is a stop word. */
  readonly isPlain: boolean;
  readonly terms: readonly WordTerm[];
}

export interface WordTerm {
  readonly term: string;
  /** Whether the term is only a part of an identifier. */
  readonly isPart: boolean;
}

/** ASCII whitespace is the space and everything from tab to carriage return. */
const TAB = 0x09;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const LETTER_A = 0x61;
const LETTER_Z = 0x7a;
const LAST_ASCII = 0x7f;

/** In characters. Longer texts are not queries. */
const MAX_LENGTH = 400;

let lastText = '';
let lastWords: readonly QueryWord[] | null = [];

/**
 * The words of a short ASCII text; null for any other text. No ASCII token contains whitespace, so the terms of the
 * words are the terms of the text. Caches the last text, because one search reads its query several times.
 */
export function asciiWords(text: string): readonly QueryWord[] | null {
  if (text !== lastText) {
    lastWords = text.length > MAX_LENGTH ? null : splitWords(text);
    lastText = text;
  }
  return lastWords;
}

/** The words of a short text that has only plain words; null for any other text. */
export function plainWords(text: string): readonly QueryWord[] | null {
  const words = asciiWords(text);
  if (words === null) return null;
  for (const word of words) if (!word.isPlain) return null;
  return words;
}

function splitWords(text: string): readonly QueryWord[] | null {
  const words: QueryWord[] = [];
  let start = 0;
  let isPlain = true;
  for (let at = 0; at <= text.length; at++) {
    const code = at === text.length ? SPACE : text.charCodeAt(at);
    if (code >= LETTER_A && code <= LETTER_Z) continue;
    if (code > LAST_ASCII) return null;
    if (code !== SPACE && (code < TAB || code > CARRIAGE_RETURN)) isPlain = false;
    else {
      if (at > start) words.push(toQueryWord(text.slice(start, at), isPlain));
      start = at + 1;
      isPlain = true;
    }
  }
  return words;
}

/** `isPlain`: whether the word matches PLAIN_WORD. */
export function toQueryWord(text: string, isPlain: boolean): QueryWord {
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
