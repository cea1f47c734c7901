import { parseWith } from '../parse/parse.ts';
import { MAX_QUERY_CHARS, MAX_RESULTS, type SearchRequest, searchRequestSchema } from './query.ts';

/** The defaults of a request. They are read-only, so requests share them. */
const DEFAULTS: SearchRequest = searchRequestSchema.parse({});

/** Parses a search request. The most common fields are checked without the schema, which is faster. */
export function parseSearchRequest(input: unknown): SearchRequest {
  const { query, max_results } = DEFAULTS;
  if (!isPlain(input)) return parseWith(searchRequestSchema, input, 'search request');
  const plain = { ...DEFAULTS, query: input.query ?? query, max_results: input.max_results ?? max_results };
  return input.peers === undefined ? plain : { ...plain, peers: input.peers };
}

interface PlainRequest {
  readonly query?: string;
  readonly max_results?: number;
  readonly peers?: boolean | 'setting';
}

/** Whether it has only these fields, all valid. */
function isPlain(input: unknown): input is PlainRequest {
  if (input === null || typeof input !== 'object' || Object.getPrototypeOf(input) !== Object.prototype) return false;
  const given = input as Readonly<Record<PropertyKey, unknown>>;
  for (const key of Reflect.ownKeys(given)) {
    const value = given[key];
    if (key === 'query') {
      if (typeof value !== 'string' || value.length > MAX_QUERY_CHARS) return false;
    } else if (key === 'max_results') {
      if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > MAX_RESULTS) return false;
    } else if (key !== 'peers' || (typeof value !== 'boolean' && value !== 'setting')) {
      return false;
    }
  }
  return true;
}
