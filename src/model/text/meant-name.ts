import { editDistance } from './edit-distance.ts';

/** How many typing mistakes to accept. Short words are too similar to each other. */
const mistakesIn = (word: string): number => (word.length < 4 ? 0 : word.length < 6 ? 1 : 2);

/** `maxResults`, `max-results` and `max_results` are equal. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** The name that was probably meant by a mistyped one. The first of several equally near. Undefined if none is near. */
export function meantName(name: string, names: Iterable<string>): string | undefined {
  const word = plain(name);
  if (word === '') return undefined;
  const most = mistakesIn(word);
  let best: string | undefined;
  let fewest = most + 1;
  for (const other of names) {
    const mistakes = editDistance(word, plain(other), most);
    if (mistakes >= fewest) continue;
    best = other;
    fewest = mistakes;
  }
  return best;
}

/** Synonyms of fields, here and in other tools, in the spelling of `plain`. */
const SYNONYMS: readonly ReadonlySet<string>[] = [
  'query q text search prompt question querytext',
  'entitytypes entitytype kinds type types kind entitykinds',
  'maxresults k limit n topk topn count size max pagesize perpage numresults top',
  'maxtokens tokens budget tokenbudget maxlength',
  'offset skip from start page cursor',
  'minconfidence threshold minscore scorethreshold minrelevance minsimilarity',
  'metadatafields fields select metadata',
  'facets aggregations aggs',
  'preset mode method ranking searchmode fusionmethod searchfusionmethod',
  'weights weight alpha',
  'keyword kw keywords lexical sparse bm25 text',
  'vector vec vectors semantic dense embedding embeddings',
  'tags tag label labels filters keywords',
  'description desc summary',
  'body content text markdown',
  'inputschema schema parameters',
  'homepage website',
  'repository repo',
].map((line) => new Set(line.split(' ')));

/** The field that was probably meant by an unknown one: a synonym or a typing mistake. */
export function meantField(name: string, fields: readonly string[]): string | undefined {
  const word = plain(name);
  const ideas = SYNONYMS.filter((idea) => idea.has(word));
  return fields.find((field) => ideas.some((idea) => idea.has(plain(field)))) ?? meantName(name, fields);
}
