import type { SearchRequest } from '../../model/query/query.ts';

/** What each leg searches for. */
export interface QueryTexts {
  /** The text of the keyword leg, of identifiers and of names. */
  readonly text: string;
  /** The text that is searched for identifiers. A code counts in any wording but a hypothetical answer, which is made up. */
  readonly named: string;
  /** The texts of the vector leg, the main one first. Null: those of the keyword leg. */
  readonly meanings: readonly string[] | null;
}

/** Shares the sub-queries of a request between the legs. `text` is its query without hashtags. */
export function shareQueries(text: string, { searches, intent }: SearchRequest): QueryTexts {
  if (searches === undefined && intent === undefined) return { text, named: text, meanings: null };
  const of = (type: string) => (searches ?? []).flatMap((one) => (one.type === type ? [one.query.trim()] : []));
  const [keywords, meant, answers] = [of('keyword'), of('meaning'), of('hypothetical')];
  const own = text === '' ? [] : [text];
  const words = [...own, ...keywords];
  // Without a text for the keyword leg there would be no identifiers and no confidence.
  const lexical = words.length > 0 ? words : meant.length > 0 ? meant : answers;
  const meanings = [...own, ...meant, ...answers];
  const wanted = (intent ?? '').trim();
  const main = meanings.length > 0 ? meanings : [lexical.join(' ')];
  const isPlain = meant.length === 0 && answers.length === 0 && wanted === '';
  return {
    text: lexical.join(' '),
    named: [...words, ...meant].join(' '),
    meanings: isPlain || lexical.length === 0 ? null : [...main, ...(wanted === '' ? [] : [wanted])],
  };
}
