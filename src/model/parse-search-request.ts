import { parseWith } from './parse.ts';
import { MAX_QUERY_CHARS, MAX_RESULTS, type SearchRequest, searchRequestSchema } from './query.ts';

/** What a request that says nothing asks for. None of it can be changed, so requests may share it. */
const DEFAULTS: SearchRequest = searchRequestSchema.parse({});

/** A search from outside. Most say a query and how many results, and need no schema to be checked. */
export function parseSearchRequest(input: unknown): SearchRequest {
  const { query, max_results } = DEFAULTS;
  if (!isPlain(input)) return parseWith(searchRequestSchema, input, 'search request');
  return { ...DEFAULTS, query: input.query ?? query, max_results: input.max_results ?? max_results };
}

interface PlainRequest {
  readonly query?: string;
  readonly max_results?: number;
}

/** Whether it has these fields only, each as the schema wants it. */
function isPlain(input: unknown): input is PlainRequest {
  if (input === null || typeof input !== 'object' || Object.getPrototypeOf(input) !== Object.prototype) return false;
  const given = input as Readonly<Record<PropertyKey, unknown>>;
  for (const key of Reflect.ownKeys(given)) {
    const value = given[key];
    if (key === 'query') {
      if (typeof value !== 'string' || value.length > MAX_QUERY_CHARS) return false;
    } else if (key === 'max_results') {
      if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > MAX_RESULTS) return false;
    } else {
      return false;
    }
  }
  return true;
}
