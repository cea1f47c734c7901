import { afterEach, describe, expect, it } from 'vitest';
import { wordsRegistry } from '../../../test/support/words-registry.ts';
import type { LocalRegistry } from '../contract/registry.ts';

const tool = (name: string, description: string, required: readonly string[] = []) => ({
  name,
  description,
  inputSchema: { type: 'object', required },
});
const CATALOG = [
  {
    type: 'mcp_server',
    path: '/flights',
    name: 'Flights',
    description: 'Air travel',
    tools: [
      tool('search_offers', 'Look up air fares'),
      tool('book_flight', 'Book a flight', ['offerId']),
      tool('cancel', 'Cancel something'),
    ],
  },
  {
    type: 'mcp_server',
    path: '/calendar',
    name: 'Calendar',
    description: 'Dates',
    tools: [tool('add_event', 'Put an appointment on a date')],
  },
  { type: 'skill', path: '/skills/old', name: 'old', description: 'Nothing to do with it', status: 'deprecated' },
];
const EDGES = [
  { source: '/flights#book_flight', target: '/calendar#add_event', type: 'POPULAR_WITH', weight: 9 },
  { source: '/flights#book_flight', target: '/flights#cancel', type: 'CONFLICTS_WITH', weight: 9 },
  { source: '/flights#book_flight', target: '/skills/old', type: 'POPULAR_WITH', weight: 9 },
];

let registry: LocalRegistry;
afterEach(() => registry.close());

async function opened(edges: readonly object[] = EDGES): Promise<LocalRegistry> {
  registry = await wordsRegistry(CATALOG);
  await registry.putEdges({ edges });
  return registry;
}
const ask = { query: 'book a flight', entity_types: ['tool'], max_results: 1 };

describe('with_prerequisites', () => {
  it('gives what is needed first and what is used with the results, and why', async () => {
    const { prerequisites } = await (await opened()).search({ ...ask, with_prerequisites: true });
    expect(prerequisites!.needed_first).toEqual([
      {
        entity_type: 'tool',
        path: '/flights#search_offers',
        name: 'search_offers',
        description: 'Look up air fares',
        score: expect.any(Number),
        relation: 'PRODUCES_FOR',
        for: '/flights#book_flight',
        why: '/flights#search_offers produces input for /flights#book_flight (field offerId)',
        provenance: 'schema',
      },
    ]);
    expect(prerequisites!.used_with.map(({ path, why }) => [path, why])).toEqual([
      ['/calendar#add_event', '/flights#book_flight is often used with /calendar#add_event (imported from api)'],
    ]);
  });

  it('leaves everything else of the answer as it is', async () => {
    const { prerequisites, ...answer } = await (await opened()).search({ ...ask, with_prerequisites: true });
    expect(prerequisites).toBeDefined();
    expect(JSON.stringify(answer)).toBe(JSON.stringify(await registry.search(ask)));
  });

  it('finds the tools of a server that was found by one of its tools', async () => {
    const asked = { query: 'book a flight', entity_types: ['mcp_server'], max_results: 1, with_prerequisites: true };
    const { prerequisites } = await (await opened()).search(asked);
    expect(prerequisites!.needed_first.map(({ path }) => path)).toEqual(['/flights#search_offers']);
    expect(prerequisites!.used_with.map(({ path }) => path)).toEqual(['/calendar#add_event']);
  });

  it('shows nothing that is a result, and follows writes', async () => {
    await opened();
    const whole = await registry.search({ ...ask, max_results: 10, with_prerequisites: true });
    const shown = whole.results.map(({ path }) => path);
    const members = [...whole.prerequisites!.needed_first, ...whole.prerequisites!.used_with];
    expect(members.filter(({ path }) => shown.includes(path))).toEqual([]);
    await registry.delete('mcp_server', '/calendar');
    const { prerequisites } = await registry.search({ ...ask, with_prerequisites: true });
    expect(prerequisites!.used_with).toEqual([]);
    await registry.patch('skill', '/skills/old', { status: 'active' });
    const again = await registry.search({ ...ask, with_prerequisites: true });
    expect(again.prerequisites!.used_with.map(({ path }) => path)).toEqual(['/skills/old']);
  });
});

describe('without edges', () => {
  it.each([
    ['tools', ask],
    ['everything', { query: 'air travel dates', max_results: 10, explain: true }],
  ])('`recommend` answers as `hybrid` does, to the byte: %s', async (_, request) => {
    await opened([]);
    const answer = await registry.search({ ...request, preset: 'recommend' });
    expect(JSON.stringify({ ...answer, preset: 'hybrid' })).toBe(
      JSON.stringify(await registry.search({ ...request, preset: 'hybrid' })),
    );
  });
});
