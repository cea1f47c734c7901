import { identifierTerm } from '../../model/text/identifiers.ts';
import { analyze, FILLER_TERMS } from './analyzer.ts';
import { PLAIN_WORD } from './identifier-terms.ts';
import { asciiWords, plainWords, type QueryWord, toQueryWord } from './query-words.ts';
import { STOP_WORDS } from './stop-words.ts';
import { visitTerms } from './visit-terms.ts';

/**
 * A word or phrase of a query that may name one thing exactly. `classifyQuery` decides by its holders, the units that
 * contain all its terms.
 *
 * - `code`: digits, with or without letters, but no word: D40, 75.1725, PII-2024-0042.
 * - `name`: written like an identifier: context7, get_weather, MSHA, C++.
 * - `phrase`: several words in double quotes.
 * - `word`: any other word that is not a stop word or a filler word.
 */
export interface Anchor {
  readonly kind: 'code' | 'name' | 'phrase' | 'word';
  /** As written, without quotes and outer punctuation. */
  readonly text: string;
  /** A holder has all of these terms: the word without its parts, its CJK bigrams, or all terms of the phrase. */
  readonly terms: readonly string[];
  /** The word as an address or a package name. Its holders, if there are any, are the holders of the anchor. */
  readonly identifier?: string;
}

const QUOTED = /"([^"]{2,})"|“([^“”]{2,})”|„([^„“”]{2,})[“”]|«([^«»]{2,})»/gu;
/** A run is tried from its first character only: time stays linear. */
const OUTER_PUNCTUATION = /(?<![^\p{L}\p{N}+#])[^\p{L}\p{N}+#]+$|^[^\p{L}\p{N}.]+/gu;

/** If a query in capitals has more words than this, they are not acronyms. */
const MAX_ACRONYMS = 3;

/** The distinct anchors of a query in order, phrases first. Stop words and filler words are no anchors. */
export function anchorsIn(query: string): readonly Anchor[] {
  const anchors: Anchor[] = [];
  const seen = new Set<string>();
  const add = (kind: Anchor['kind'], text: string, terms: readonly string[], identifier?: string | null) => {
    const key = terms.length === 1 ? terms[0]! : terms.join('\n');
    if (terms.length === 0 || seen.has(key)) return;
    seen.add(key);
    anchors.push(identifier == null ? { kind, text, terms } : { kind, text, terms, identifier });
  };
  const unquoted = plainWords(query) === null ? extractPhrases(query, add) : query;
  let isAllCaps: boolean | undefined;
  for (const { text: written, isPlain, terms: wordTerms } of wordsOf(unquoted)) {
    if (isPlain) {
      const term = wordTerms[0]?.term;
      if (term !== undefined && !FILLER_TERMS.has(term)) add('word', written, [term]);
      continue;
    }
    const text = written.replace(OUTER_PUNCTUATION, '');
    const terms = wholeTerms(text);
    if (!terms.some((term) => !FILLER_TERMS.has(term))) continue;
    isAllCaps ??= isAllCapitals(unquoted);
    add(kindOf(text, isAllCaps), text, terms, IDENTIFIER_LIKE.test(written) ? identifierTerm(written) : null);
  }
  return anchors;
}

/** Adds the phrases of a query and returns the rest of the query. A single word in quotes is not a phrase. */
function extractPhrases(query: string, add: (kind: 'phrase', text: string, terms: readonly string[]) => void): string {
  return query.replace(QUOTED, (_, ...groups: (string | undefined)[]) => {
    const text = (groups.slice(0, 4).find((group) => group !== undefined) ?? '').trim();
    if (!/\s/u.test(text)) return ` ${text} `;
    add('phrase', text, [...new Set(analyze(text))]);
    return ' ';
  });
}

function wordsOf(text: string): readonly QueryWord[] {
  return asciiWords(text) ?? text.split(/\s+/u).map((word) => toQueryWord(word, PLAIN_WORD.test(word)));
}

function isAllCapitals(text: string): boolean {
  return text === text.toUpperCase() && (text.match(/\p{L}{2,}/gu)?.length ?? 0) > MAX_ACRONYMS;
}

/** The terms without parts of identifiers: units match `getWeather` only by the whole identifier. */
function wholeTerms(text: string): readonly string[] {
  const wholes = new Set<string>();
  visitTerms(text, (term, isPart) => {
    if (!isPart) wholes.add(term);
  });
  return wholes.size > 0 ? [...wholes] : [...new Set(analyze(text))];
}

/** Has a separator that addresses and package names have: `mcp-server-git`, `@acme/tools`, `acme.com`. */
const IDENTIFIER_LIKE = /[^\s][-/@.:_][^\s]|^@/u;

/** Email addresses, URLs and file paths: quoted in queries, but not names of anything in the index. */
const ADDRESS = /[@\\]|:\/\/|^www\.|^[~.]?\/|\/.*\//u;
/** Quantities: 3pm, 1st, 40mg, 2x, 1-day, 9.8, 200,000, 7:30, 2023-01-01. */
const QUANTITY =
  /^\p{N}[\p{N}.,:/-]*-?\p{Ll}+(\/\p{Ll}+)?$|^\p{N}+$|,|:|^\p{N}{4}-\p{N}{1,2}-\p{N}{1,2}$|^\p{N}+\.\p{N}{1,2}$/u;
const LONG_WORD = /\p{L}{4}/u;
/** Numbers with a separator and fewer digits are ranges or fractions: 20-40, 4/5. */
const MIN_DIGITS = 5;

function kindOf(text: string, isAllCaps: boolean): 'code' | 'name' | 'word' {
  if (ADDRESS.test(text)) return 'word';
  if (/\p{N}/u.test(text)) {
    if (QUANTITY.test(text)) return 'word';
    if (/\p{L}/u.test(text)) return LONG_WORD.test(text) ? 'name' : 'code';
    return (text.match(/\p{N}/gu)?.length ?? 0) >= MIN_DIGITS ? 'code' : 'word';
  }
  if (/^\p{L}(\+\+|#)$/u.test(text) || /^\.\p{L}/u.test(text)) return 'name';
  if (/\p{L}[_.]\p{L}/u.test(text) || /\p{Ll}\p{Lu}/u.test(text) || isKebab(text)) return 'name';
  return !isAllCaps && /^\p{Lu}{3,}$/u.test(text) ? 'name' : 'word';
}

/** `resolve-library-id` is a name; `up-to-date` is English. */
function isKebab(text: string): boolean {
  const parts = text.toLowerCase().split('-');
  return parts.length >= 3 && !parts.some((part) => STOP_WORDS.has(part));
}
