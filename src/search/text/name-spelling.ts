import { foldText, lowerCase } from './fold-text.ts';
import { STOP_WORDS } from './stop-words.ts';

/*
 * Case and joins do not decide: `github`, `git hub` and `Git-Hub` are searched as `GitHub`, if that is the name of something
 * that the caller may read.
 */

/** Finds the spelling of a name by its `joinedName`. Use it before the next write. */
export type NameLookup = (joined: string) => string | undefined;

/** A shorter name is more often a part of another word than meant. */
const MIN_LENGTH = 3;
const MAX_LENGTH = 80;
const SEPARATORS = /[^\p{L}\p{M}\p{N}+#]+/gu;

/** The name in lower case without separators; '' if it is too short or too long to be found that way. */
export function joinedName(name: string): string {
  if (name.length > MAX_LENGTH) return '';
  const joined = lowerCase(foldText(name)).replace(SEPARATORS, '');
  return joined.length < MIN_LENGTH ? '' : joined;
}

/** Names are looked for at the start of a query: a longer one is a task. */
const MAX_CHARS = 512;
/** `duck duck go search` has four words. */
const MAX_WORDS = 5;
const WORD = /[^\s"“”„«»]+/gu;
/** A word that may be of a name, and the punctuation behind it. */
const NAME_WORD = /^([\p{L}\p{N}][\p{L}\p{M}\p{N}+#]*(?:[-_.][\p{L}\p{M}\p{N}+#]+)*)([,.;:!?)]*)$/u;

interface Word {
  readonly start: number;
  /** Without the punctuation behind it. */
  readonly end: number;
  /** '' for a word that is of no name. */
  readonly joined: string;
  readonly isStopWord: boolean;
  /** Whether the next word belongs to the same sentence and stands behind one space. */
  readonly goesOn: boolean;
}

/** The text with the names in it as they are spelled. The longest run of words that is a name counts. */
export function withSpelledNames(text: string, spellingOf: NameLookup): string {
  const words = wordsOf(text);
  let spelled = '';
  let done = 0;
  for (let at = 0; at < words.length; at++) {
    const run = nameAt(words, at, spellingOf);
    if (run === null) continue;
    spelled += text.slice(done, words[at]!.start) + run.spelling;
    done = words[run.last]!.end;
    at = run.last;
  }
  return done === 0 ? text : spelled + text.slice(done);
}

function wordsOf(text: string): readonly Word[] {
  const words: Word[] = [];
  for (const { 0: written, index } of text.slice(0, MAX_CHARS).matchAll(WORD)) {
    const [, word = '', punctuation = ''] = NAME_WORD.exec(written) ?? [];
    const joined = lowerCase(foldText(word)).replace(SEPARATORS, '');
    const end = index + word.length;
    const goesOn = punctuation === '' && text[end] === ' ' && text[end + 1] !== ' ';
    words.push({ start: index, end, joined, isStopWord: STOP_WORDS.has(joined), goesOn });
  }
  return words;
}

function nameAt(words: readonly Word[], at: number, spellingOf: NameLookup) {
  let joined = '';
  let found: { readonly last: number; readonly spelling: string } | null = null;
  let isMeant = false;
  for (let last = at; last < Math.min(words.length, at + MAX_WORDS); last++) {
    const word = words[last]!;
    if (word.joined === '') break;
    joined += word.joined;
    isMeant ||= !word.isStopWord;
    const spelling = isMeant && joined.length >= MIN_LENGTH ? spellingOf(joined) : undefined;
    if (spelling !== undefined) found = { last, spelling };
    if (!word.goesOn) break;
  }
  return found;
}
