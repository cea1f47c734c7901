import { ACTIONS_BY_WORD } from './action-words.ts';
import { analyze } from './analyzer.ts';

const WORD = /\S+/g;

/**
 * A query without the words that name the server, such as `create an issue` for `create a github issue`. Every tool of the
 * server is about its name, so the name does not tell them apart. A word for an action stays: a server may be called Fetch.
 * Empty if the query only names the server. The same text if it does not name it.
 */
export function withoutName(text: string, name: string): string {
  const terms = new Set(analyze(name));
  const kept: string[] = [];
  let [isNamed, hasOther] = [false, false];
  for (const [word] of text.matchAll(WORD)) {
    if (isOfName(word, terms)) isNamed = true;
    else {
      kept.push(word);
      hasOther ||= analyze(word).length > 0;
    }
  }
  if (!isNamed) return text;
  return hasOther ? kept.join(' ') : '';
}

function isOfName(word: string, name: ReadonlySet<string>): boolean {
  if (ACTIONS_BY_WORD.has(word.toLowerCase())) return false;
  const terms = analyze(word);
  return terms.length > 0 && terms.every((term) => name.has(term));
}
