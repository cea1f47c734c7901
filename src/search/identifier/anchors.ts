import { analyze, FILLER_TERMS } from '../text/analyzer.ts';
import { PLAIN_WORD } from '../text/identifier-terms.ts';
import { asciiWords, plainWords, type QueryWord, toQueryWord } from '../text/query-words.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { visitTerms } from '../text/visit-terms.ts';

/**
 * A word or phrase of a query that may name one thing exactly. Whether it does, the index says: see `readQuery`.
 *
 * - `code`: letters and digits without a word in them: D40, 75.1725, PII-2024-0042.
 * - `name`: written like an identifier: context7, get_weather, MSHA, C++.
 * - `phrase`: several words in double quotes.
 * - `word`: anything else that says something.
 */
export interface Anchor {
  readonly kind: 'code' | 'name' | 'phrase' | 'word';
  /** As written, without quotes and outer punctuation. */
  readonly text: string;
  /** What the index must have: the whole of a word, every pair of one written without blanks, all of a phrase. */
  readonly terms: readonly string[];
}

const QUOTED = /"([^"]{2,})"|“([^”]{2,})”|„([^“”]{2,})[“”]|«([^»]{2,})»/gu;
const OUTER = /^[^\p{L}\p{N}.]+|[^\p{L}\p{N}+#]+$/gu;

/** More words in capitals than this are a way of writing, not acronyms. */
const MAX_CAPITALS = 3;

/** The anchors of a query in order, phrases first; each once. Words that only ask or say nothing are left out. */
export function anchorsIn(query: string): readonly Anchor[] {
  const anchors: Anchor[] = [];
  const seen = new Set<string>();
  const add = (kind: Anchor['kind'], text: string, terms: readonly string[]) => {
    const key = terms.length === 1 ? terms[0]! : terms.join('\n');
    if (terms.length === 0 || seen.has(key)) return;
    seen.add(key);
    anchors.push({ kind, text, terms });
  };
  const rest = plainWords(query) === null ? withoutPhrases(query, add) : query;
  let isShouted: boolean | undefined;
  for (const { text: written, isPlain, terms: own } of wordsOf(rest)) {
    if (isPlain) {
      const term = own[0]?.term;
      if (term !== undefined && !FILLER_TERMS.has(term)) add('word', written, [term]);
      continue;
    }
    const text = written.replace(OUTER, '');
    const terms = wholesOf(text);
    if (!terms.some((term) => !FILLER_TERMS.has(term))) continue;
    isShouted ??= isInCapitals(rest);
    add(kindOf(text, isShouted), text, terms);
  }
  return anchors;
}

/** What is left of a query when its phrases are taken out; single words in quotes stay. */
function withoutPhrases(query: string, add: (kind: 'phrase', text: string, terms: readonly string[]) => void): string {
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

function isInCapitals(text: string): boolean {
  return text === text.toUpperCase() && (text.match(/\p{L}{2,}/gu)?.length ?? 0) > MAX_CAPITALS;
}

/** Without the parts of identifiers: `getWeather` is held by what has it whole, however it is joined there. */
function wholesOf(text: string): readonly string[] {
  const wholes = new Set<string>();
  visitTerms(text, (term, isPart) => {
    if (!isPart) wholes.add(term);
  });
  return wholes.size > 0 ? [...wholes] : [...new Set(analyze(text))];
}

/** What people quote from elsewhere: addresses and file paths name nothing here. */
const ADDRESS = /[@\\]|:\/\/|^www\.|^[~.]?\/|\/.*\//u;
/** Quantities: 3pm, 1st, 40mg, 2x, 1-day, 9.8, 200,000, 7:30, 2023-01-01. */
const QUANTITY =
  /^\p{N}[\p{N}.,:/-]*-?\p{Ll}+(\/\p{Ll}+)?$|^\p{N}+$|,|:|^\p{N}{4}-\p{N}{1,2}-\p{N}{1,2}$|^\p{N}+\.\p{N}{1,2}$/u;
const LONG_RUN = /\p{L}{4}/u;
/** Fewer digits with a joiner are a range or a share: 20-40, 4/5. */
const MIN_DIGITS = 5;

function kindOf(text: string, isShouted: boolean): 'code' | 'name' | 'word' {
  if (ADDRESS.test(text)) return 'word';
  if (/\p{N}/u.test(text)) {
    if (QUANTITY.test(text)) return 'word';
    if (/\p{L}/u.test(text)) return LONG_RUN.test(text) ? 'name' : 'code';
    return (text.match(/\p{N}/gu)?.length ?? 0) >= MIN_DIGITS ? 'code' : 'word';
  }
  if (/^\p{L}(\+\+|#)$/u.test(text) || /^\.\p{L}/u.test(text)) return 'name';
  if (/\p{L}[_.]\p{L}/u.test(text) || /\p{Ll}\p{Lu}/u.test(text) || isKebab(text)) return 'name';
  return !isShouted && /^\p{Lu}{3,}$/u.test(text) ? 'name' : 'word';
}

/** `resolve-library-id` is a name; `up-to-date` is English. */
function isKebab(text: string): boolean {
  const parts = text.toLowerCase().split('-');
  return parts.length >= 3 && !parts.some((part) => STOP_WORDS.has(part));
}
