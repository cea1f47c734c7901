import { expect, it } from 'vitest';
import { toGatewayDuplicates } from './duplicate-report.ts';

const FOUND = {
  entity_type: 'mcp_server',
  path: '/clock',
  name: 'Clock',
  description: 'Tells the time.',
  owner: 'ada',
  created_at: '2026-01-02T03:04:05.000Z',
} as const;
const { created_at, ...same } = FOUND;
const report = (similarity_score = 0.75) =>
  toGatewayDuplicates({
    has_collision: true,
    collision_with: [{ ...FOUND, reasons: ['path', 'name'] }],
    advisory_matches: [{ ...FOUND, similarity_score }],
    threshold: 0.7,
    similarity_search_available: true,
  });

it('gives a hit the fields that the clients of the registry require', () => {
  const { collision_with, advisory_matches } = report();
  const reasons = ['path', 'name'];
  expect(collision_with).toEqual([
    { ...same, registered_at: created_at, relevance_score: 1, match_reason: 'same path, name', reasons },
  ]);
  expect(advisory_matches).toEqual([
    {
      ...same,
      registered_at: created_at,
      relevance_score: 0.75,
      match_reason: 'similar meaning',
      similarity_score: 0.75,
    },
  ]);
});

it.each([
  [1.0000001, 1],
  [-0.2, 0],
])('keeps the relevance of a cosine of %d within 0 and 1', (cosine, relevance_score) => {
  expect(report(cosine).advisory_matches).toMatchObject([{ similarity_score: cosine, relevance_score }]);
});
