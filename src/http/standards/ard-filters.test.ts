import { describe, expect, it } from 'vitest';
import { standardsServer } from '../../../test/support/standards-server.ts';

describe('one entry among many that come before it', () => {
  const many = (count: number, fields: (i: number) => Record<string, unknown>) =>
    Array.from({ length: count }, (_, i) => ({
      type: 'mcp_server',
      path: `/loud-${i}`,
      name: 'tide table',
      description: 'tide table',
      ...fields(i),
    }));
  const quiet = (fields: Record<string, unknown> = {}) => ({
    type: 'mcp_server',
    path: '/quiet',
    name: 'Harbour',
    description: 'Among much else, on some days and in a few places, it also has a table of when the tide comes in.',
    ...fields,
  });

  it.each<[string, unknown[], Record<string, unknown>]>([
    ['of which all are private', [...many(60, () => ({ visibility: 'private', owner: 'ada' })), quiet()], {}],
    ['of another version', [...many(120, () => ({ version: '1' })), quiet({ version: '2' })], { version: '2' }],
    ['with other tags', [...many(60, () => ({ tags: ['a'] })), quiet({ tags: ['B'] })], { tags: ['b', 'c'] }],
    ['of another status', [...many(60, () => ({})), quiet({ status: 'beta' })], { 'metadata.status': 'beta' }],
    [
      'and that is deprecated',
      [...many(60, () => ({})), quiet({ status: 'deprecated' })],
      { 'metadata.status': ['deprecated', 'draft'] },
    ],
  ])('%s is found and counted', async (_, entities, filter) => {
    const crowded = await standardsServer(entities);
    const query = { text: 'tide table', ...(Object.keys(filter).length === 0 ? {} : { filter }) };
    const { json } = await crowded.post('/ard/search', { query });
    expect(json.results.map((one: { identifier: string }) => one.identifier)).toEqual([
      `urn:air:${crowded.host}:server:quiet`,
    ]);
    const body = { query, resultType: { facets: [{ field: 'metadata.path' }] } };
    const { buckets } = (await crowded.post('/ard/explore', body)).json.facets['metadata.path'];
    expect(buckets).toEqual([{ value: '/quiet', count: 1 }]);
    await crowded.close();
  });

  it('is never a draft, even if drafts are requested', async () => {
    const crowded = await standardsServer([quiet({ status: 'draft' }), quiet({ path: '/other' })]);
    const query = { text: 'tide table', filter: { 'metadata.status': 'draft' } };
    expect((await crowded.post('/ard/search', { query })).json.results).toEqual([]);
    await crowded.close();
  });
});
