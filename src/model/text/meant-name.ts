import { editDistance } from './edit-distance.ts';

/** No name of a tool is longer. */
const MAX_NAME_CHARS = 512;

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

/** Letters of both words, squared: `issue` says more than `get`. */
const weightOf = (word: string): number => word.length ** 2;
/** Endings such as `s`, `es` and `ed`. */
const MAX_ENDING = 2;
const MIN_STEM = 3;

const wordsOf = (name: string): readonly string[] =>
  name
    .slice(0, MAX_NAME_CHARS)
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

function isSameStem(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return (
    short === long || (short.length >= MIN_STEM && long.startsWith(short) && long.length - short.length <= MAX_ENDING)
  );
}

/** How much of two names is the same words: 0 to 1. */
function likeness(a: readonly string[], b: readonly string[]): number {
  const whole = [...a, ...b].reduce((sum, word) => sum + weightOf(word), 0);
  const shared = a.filter((word) => b.some((other) => isSameStem(word, other)));
  return whole === 0 ? 0 : (2 * shared.reduce((sum, word) => sum + weightOf(word), 0)) / whole;
}

/**
 * The names that may have been meant, nearest first: a typing mistake, then those that share words with it. `get_issue` may mean
 * `list_issues`. Those that share none are left out.
 */
export function nearestNames(name: string, names: readonly string[], max: number): readonly string[] {
  const meant = meantName(name.slice(0, MAX_NAME_CHARS), names);
  const words = wordsOf(name);
  const scored = names.map((other) => ({ other, score: other === meant ? 2 : likeness(words, wordsOf(other)) }));
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, max)
    .map(({ other }) => other);
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
