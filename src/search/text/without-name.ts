import { ACTIONS_BY_WORD } from './action-words.ts';
import { analyze } from './analyzer.ts';
import { asciiWords, type QueryWord, toQueryWord } from './query-words.ts';

const WORD = /\S+/g;

/**
 * A query without the words that name the server, such as `create an issue` for `create a github issue`. Every tool of the
 * server is about its name, so the name does not tell them apart. A word for an action stays: a server may be called Fetch.
 * Empty if the query only names the server. The same text if it does not name it.
 */
export function withoutName(text: string, name: string): string {
  const words = asciiWords(text) ?? Array.from(text.matchAll(WORD), ([word]) => toQueryWord(word, false));
  const nameTerms = new Set(analyze(name));
  const kept: string[] = [];
  let [isNamed, hasOther] = [false, false];
  for (const word of words) {
    if (isOfName(word, nameTerms)) isNamed = true;
    else {
      kept.push(word.text);
      hasOther ||= word.terms.length > 0;
    }
  }
  if (!isNamed) return text;
  return hasOther ? kept.join(' ') : '';
}

function isOfName({ text, terms }: QueryWord, name: ReadonlySet<string>): boolean {
  if (terms.length === 0 || ACTIONS_BY_WORD.has(text.toLowerCase())) return false;
  for (const { term } of terms) if (!name.has(term)) return false;
  return true;
}
