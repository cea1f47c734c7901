import { expect, it } from 'vitest';
import type { SearchResponse, SearchResult } from '../../model/answer/result.ts';
import { foundItems } from './found-items.ts';

const result = (share: number) =>
  ({
    entity_type: 'document',
    path: '/d',
    name: 'D',
    description: '',
    relevance_score: share,
    confidence: share,
    matched_unit: { kind: 'card', key: '', title: 'D' },
  }) as unknown as SearchResult;

it('shows only exactly 0 and 1 as 0 and 1', () => {
  const shares = [1, 0.9999, 0.995, 0.994, 0.5, 0.004, 1e-9, 0];
  const answer = { results: shares.map(result), servers: [], virtual_servers: [] } as unknown as SearchResponse;
  const shown = [1, 0.99, 0.99, 0.99, 0.5, 0.01, 0.01, 0];
  expect(foundItems(answer, false).map(({ item }) => item.confidence)).toEqual(shown);
  expect(foundItems(answer, false).map(({ score }) => score)).toEqual(shown);
});
