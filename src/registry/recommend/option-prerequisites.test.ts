import { afterEach, expect, it } from 'vitest';
import { wordsRegistry } from '../../../test/support/words-registry.ts';
import type { LocalRegistry } from '../contract/registry.ts';

const tool = (name: string, description: string, required: readonly string[] = []) => ({
  name,
  description,
  inputSchema: { type: 'object', required },
});
const server = (path: string, description: string, tools: readonly object[]) => ({
  type: 'mcp_server',
  path,
  name: path.slice(1),
  description,
  tools,
});
const CATALOG = [
  server('/flights', 'Air travel', [
    tool('search_offers', 'Look up air fares'),
    tool('list_seats', 'Show free places'),
    tool('book_flight', 'Book a flight', ['offerId']),
    tool('change_flight', 'Change a booked flight', ['seatId']),
  ]),
  server('/calendar', 'Dates', [tool('add_event', 'Put an appointment on a date')]),
  server('/trains', 'Book a train in place of a flight', []),
  { type: 'skill', path: '/skills/old', name: 'old', description: 'Nothing to do with it', status: 'deprecated' },
];
const together = (target: string) => ({ source: '/flights#book_flight', target, type: 'POPULAR_WITH', weight: 9 });

let registry: LocalRegistry;
afterEach(() => registry.close());

async function recommended(query: string) {
  registry = await wordsRegistry(CATALOG);
  await registry.putEdges({
    edges: [...['/calendar#add_event', '/skills/old'].map(together), { ...together('/trains'), source: '/flights' }],
  });
  const entity_types = ['mcp_server', 'skill'] as const;
  const { recommendations, alternatives, prerequisites } = await registry.recommend({ query, entity_types });
  const pathsOf = (list: readonly { readonly path: string }[]) => list.map(({ path }) => path);
  return {
    options: pathsOf(recommendations),
    alternatives: pathsOf(alternatives),
    needed: pathsOf(prerequisites.needed_first).sort(),
    used: pathsOf(prerequisites.used_with),
  };
}

it('completes a server by its matching tools', async () => {
  const found = await recommended('book a flight, change a booked flight');
  expect(found.options).toEqual(['/flights']);
  expect(found.needed).toEqual(['/flights#list_seats', '/flights#search_offers']);
  expect(found.used).toContain('/calendar#add_event');
});

it('lists neither what is deprecated nor an alternative that is only used with the option', async () => {
  const found = await recommended('book a flight');
  expect(found).toMatchObject({ options: ['/flights'], alternatives: ['/trains'] });
  expect(found.used).toEqual(['/calendar#add_event']);
});

it('takes a common tag for no use together, and a relation that both ends state for one', async () => {
  const queue = (path: string, more: object) => ({ type: 'package', path, name: path.slice(1), ...more });
  const both = (target: string) => [{ type: 'COMPATIBLE_WITH', target }];
  registry = await wordsRegistry([
    queue('/bull', { description: 'Job queue', tags: ['background'], relations: both('/web') }),
    queue('/delayed', { description: 'Runs later', tags: ['background'] }),
    queue('/web', { description: 'Pages', relations: both('/bull') }),
  ]);
  const { recommendations, prerequisites } = await registry.recommend({ query: 'job queue' });
  const stated = 'compatible with web (stated)';
  const tagged = 'related to delayed (tag background)';
  expect(recommendations.map(({ path, evidence }) => [path, evidence])).toEqual([['/bull', [stated, tagged]]]);
  expect(prerequisites.used_with.map(({ path }) => path)).toEqual(['/web']);
});
