import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseWith } from '../parse/parse.ts';
import { parseSearchRequest } from './parse-search-request.ts';
import { searchRequestSchema } from './query.ts';

const outcome = (parse: () => unknown) => {
  try {
    const request = parse();
    return { request, keys: Object.keys(request as object) };
  } catch (error) {
    return { error };
  }
};

const query = fc.oneof(
  fc.string(),
  fc.constantFrom('x'.repeat(8192), 'x'.repeat(8193), '😀'.repeat(4096), '😀'.repeat(4097)),
  fc.constantFrom(undefined, null, 1, {}),
);
const results = fc.oneof(
  fc.integer({ min: -2, max: 60 }),
  fc.constantFrom(undefined, null, '5', 0, -0, 1, 1.5, 50, 51, Number.NaN, Number.POSITIVE_INFINITY),
);
const fields = {
  query,
  max_results: results,
  explain: fc.boolean(),
  tags: fc.constantFrom(null, ['a']),
  other: fc.string(),
};
const requests = fc.oneof(
  fc.record({ query, max_results: results }, { requiredKeys: [] }),
  fc.record(fields, { requiredKeys: [] }),
  fc.anything(),
);

it('takes and refuses what the schema does, with the same fields in the same order', () => {
  fc.assert(
    fc.property(requests, (input) => {
      const expected = outcome(() => parseWith(searchRequestSchema, input, 'search request'));
      expect(outcome(() => parseSearchRequest(input))).toEqual(expected);
    }),
    { numRuns: 1000 },
  );
});

it('reads what is hidden or inherited as the schema does', () => {
  const hidden = Object.defineProperty({ query: 'a' }, 'explain', { value: true, enumerable: false });
  const inherited = Object.create({ explain: true }, { query: { value: 'a', enumerable: true } });
  for (const input of [hidden, inherited]) {
    expect(parseSearchRequest(input)).toEqual(parseWith(searchRequestSchema, input, 'search request'));
    expect(parseSearchRequest(input).explain).toBe(true);
  }
});

it('gives every request an object of its own', () => {
  const first = parseSearchRequest({ query: 'a' });
  Object.assign(first, { explain: true });
  expect(parseSearchRequest({ query: 'a' }).explain).toBe(false);
});
