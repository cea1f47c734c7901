import { expect, test } from 'vitest';
import { boostTokens } from '../../text/boost-tokens.ts';
import { type BoostedEntity, textBoost } from './text-boost.ts';

/** The boost of an entity with all fields and one tool matching. The registry divides lexical scores by it. */
const FULL_BOOST = 13.5;

const D1: BoostedEntity = {
  path: '/context7',
  name: 'Context7 MCP Server',
  description: 'Up-to-date code documentation',
  tags: ['documentation', 'libraries'],
  metadataText: 'team docs-platform',
  tools: [
    { name: 'resolve-library-id', description: 'Resolve a package name' },
    { name: 'query-docs', description: 'Fetch library docs' },
  ],
};
const D3: BoostedEntity = {
  path: '/flights',
  name: 'Flight Finder',
  description: 'Search and compare',
  tags: ['flight', 'booking'],
  metadataText: '',
  tools: [
    { name: 'search_flights', description: 'find flights' },
    { name: 'book_flight', description: 'booking of a flight' },
    { name: 'ping', description: 'alive' },
  ],
};
const D4: BoostedEntity = {
  path: '/mega',
  name: 'Mega',
  description: 'many tools',
  tags: [],
  metadataText: '',
  tools: Array.from({ length: 20 }, (_, i) => ({ name: `search_${i}`, description: '' })),
};

test.each([
  ['BST-1 path and name', D1, 'context7', 8, 0.5926],
  ['BST-2 path, name, metadata and one tool', D1, 'context7 docs', 10, 0.7407],
  ['BST-3 two tools', D1, 'library', 2, 0.1481],
  ['BST-4 metadata', D1, 'team', 1, 0.0741],
  ['BST-5 a query without tokens', D1, 'AI', 0, 0],
  ['BST-6 a field counts once for two tokens', D3, 'flight booking', 11.5, 0.8519],
  ['BST-6 a field counts once for one token', D3, 'flight', 11.5, 0.8519],
  ['BST-7 no match', D3, 'hotel', 0, 0],
  ['BST-8 tools count without a limit', D4, 'search', 20, 1],
])('%s', (_, entity, query, boost, lexicalScore) => {
  expect(textBoost(boostTokens(query), entity)).toBe(boost);
  expect(Math.min(1, boost / FULL_BOOST)).toBeCloseTo(lexicalScore, 4);
});

test('matches substrings and ignores case', () => {
  expect(textBoost(['text7'], D1)).toBe(8);
  expect(textBoost(['server'], D1)).toBe(3);
});
