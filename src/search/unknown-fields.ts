import { searchRequestSchema } from '../model/query.ts';
import { editDistance } from './edit-distance.ts';

const KNOWN: ReadonlySet<string> = new Set(Object.keys(searchRequestSchema.shape));

/** What other search APIs call our fields, in the spelling of `plain`. */
const NEIGHBOURS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    query: ['q', 'text', 'search', 'prompt', 'question', 'querytext'],
    entity_types: ['type', 'types', 'kind', 'kinds', 'entitykinds'],
    max_results: [
      'limit',
      'k',
      'n',
      'topk',
      'topn',
      'count',
      'size',
      'max',
      'pagesize',
      'perpage',
      'numresults',
      'top',
    ],
    offset: ['skip', 'from', 'start', 'page', 'cursor'],
    min_confidence: ['threshold', 'minscore', 'scorethreshold', 'minrelevance', 'minsimilarity'],
    metadata_fields: ['fields', 'select', 'metadata'],
    facets: ['aggregations', 'aggs'],
    preset: ['mode', 'method', 'ranking', 'searchmode', 'fusionmethod', 'searchfusionmethod'],
    weights: ['weight', 'alpha'],
    tags: ['tag', 'label', 'labels', 'filters'],
  }).flatMap(([field, names]) => names.map((name) => [name, field] as const)),
);

/** Typing mistakes that still mean the same field. */
const MOST_MISTAKES = 2;
/** Shorter names are too near to everything. */
const SHORTEST_TYPO = 4;
/** A request may have thousands of them; the first few say enough. */
const MOST_NAMED = 5;
const MOST_CHARS = 60;

/**
 * A sentence for each field of a search that does not exist, so that a wrong name is not mistaken for a setting that took
 * effect. The search goes on: clients of the registry send fields of their own.
 */
export function unknownFields(request: object): readonly string[] {
  const names: string[] = [];
  for (const name of Object.keys(request)) if (!KNOWN.has(name)) names.push(name);
  if (names.length === 0) return names;
  const sentences = names.slice(0, MOST_NAMED).map((name) => {
    const meant = neighbourOf(name);
    const hint = meant === undefined ? '' : ` Did you mean '${meant}'?`;
    return `A search has no field '${shown(name)}'; it is ignored.${hint}`;
  });
  if (names.length > MOST_NAMED) sentences.push(`Other fields that are ignored: ${names.length - MOST_NAMED}.`);
  return sentences;
}

/** Spellings of one name compare equal: `maxResults`, `max-results`, `max_results`. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function shown(name: string): string {
  const line = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  const characters = Array.from(line.slice(0, 2 * MOST_CHARS));
  return characters.length <= MOST_CHARS ? line : `${characters.slice(0, MOST_CHARS).join('')}...`;
}

function neighbourOf(name: string): string | undefined {
  const word = plain(name);
  const other = NEIGHBOURS.get(word);
  if (other !== undefined) return other;
  let best: string | undefined;
  let mistakes = word.length < SHORTEST_TYPO ? 1 : MOST_MISTAKES + 1;
  for (const field of KNOWN) {
    const distance = editDistance(word, plain(field), MOST_MISTAKES);
    if (distance < mistakes) {
      best = field;
      mistakes = distance;
    }
  }
  return best;
}
