import { beforeEach, describe, expect, it } from 'vitest';
import { callerOf } from '../../src/model/caller/caller.ts';
import { toDowserError } from '../../src/model/errors/errors.ts';
import type { LocalRegistry, ScopedRegistry } from '../../src/registry/contract/registry.ts';
import { memoryRegistry } from '../support/memory-registry.ts';

/** Public, so that everyone sees it, and of someone else. */
const SERVER = {
  type: 'mcp_server',
  path: '/s',
  name: 's',
  description: 'x',
  owner: 'root',
  version: '1.0.0',
} as const;
const MEMORY = { type: 'memory', path: '/m', name: 'm', content: 'Ports', owner: 'root' } as const;

const READS: readonly (keyof ScopedRegistry)[] = [
  'search',
  'heldSearch',
  'deniedTools',
  'get',
  'page',
  'all',
  'recommend',
  'recommendRespond',
  'getStack',
  'compare',
  'compatible',
  'relations',
  'isExample',
  'rated',
  'list',
  'tags',
  'searchSkills',
  'discoverAgents',
  'rating',
  'findDuplicates',
  'versions',
  'checkTag',
  'rows',
  'getMany',
  'annotated',
  'sources',
  'drift',
  'edgesOf',
  'missingVectors',
  'staleVectors',
  'health',
  'map',
  'instructionWarnings',
];

/** Calls of tools: `src/calls` and `test/property/calls.test.ts` say who may do what. */
const CALLS: readonly (keyof ScopedRegistry)[] = [
  'call',
  'checkCall',
  'preflight',
  'readResult',
  'upstreams',
  'stopUpstreams',
];
/** Each write, of something that the caller sees and does not own. */
const WRITES: Partial<Record<keyof ScopedRegistry, (registry: ScopedRegistry) => Promise<unknown>>> = {
  put: (registry) => registry.put(SERVER),
  putAt: (registry) => registry.putAt('mcp_server', '/s/', { name: 'S', description: 'y' }),
  putMany: (registry) => registry.putMany([SERVER]),
  delete: (registry) => registry.delete('mcp_server', '/s'),
  register: (registry) => registry.register(SERVER),
  change: (registry) => registry.change('mcp_server', '/s', (entity) => ({ ...entity, description: 'y' })),
  patch: (registry) => registry.patch('mcp_server', '/s', { description: 'y' }),
  changeMany: (registry) => registry.changeMany('memory', ['/m'], (found) => [...found.values()]),
  deleteMany: (registry) => registry.deleteMany('memory', ['/m']),
  annotate: (registry) => registry.annotate('mcp_server', 'note', new Map([['/s', 1]])),
  addVersion: (registry) => registry.addVersion({ ...SERVER, version: '3.0.0' }),
  setDefaultVersion: (registry) => registry.setDefaultVersion('/s', '2.0.0'),
  removeVersion: (registry) => registry.removeVersion('/s', '2.0.0'),
  observe: (registry) =>
    registry.observe({ source: { kind: 'mcp', locator: {} }, entities: [{ entity: SERVER }], take_over: true }),
  observeStored: (registry) => registry.observeStored('mcp_server', '/s', () => null),
  acceptDrift: (registry) => registry.acceptDrift('mcp_server', '/s'),
  review: (registry) => registry.review('mcp_server', '/s', { decision: 'blocked' }),
  putEdges: (registry) => registry.putEdges({ edges: [] }),
  deleteEdges: (registry) => registry.deleteEdges({ provenance: 'import:x' }),
  embedPending: (registry) => registry.embedPending(),
  reindex: (registry) => registry.reindex({ all: true }),
  cleanUpStaleVectors: (registry) => registry.cleanUpStaleVectors({ all: true }),
  rate: (registry) => registry.rate('mcp_server', '/s', { rating: 1 }),
  reportOutcome: (registry) => registry.reportOutcome({ chosen_tool: '/s', outcome: 'pending' }),
};
/** A caller who may write and sees an entity may rate it. */
const FOR_ALL_WRITERS = ['rate', 'reportOutcome'];

let registry: LocalRegistry;
let before: unknown;
beforeEach(async () => {
  registry = await memoryRegistry();
  await registry.putMany([SERVER, MEMORY]);
  await registry.addVersion({ ...SERVER, version: '2.0.0' });
  before = await state();
});

const state = async () => [
  (await registry.page({ limit: 10 })).entities.map(({ entity }) => entity),
  (await registry.versions('/s')).map(({ version }) => version),
  await registry.annotated('mcp_server', 'note'),
];

async function resultsAs(caller: Parameters<LocalRegistry['as']>[0], names: readonly string[]) {
  const results: Record<string, string> = {};
  for (const name of names) {
    const write = WRITES[name as keyof ScopedRegistry]!;
    results[name] = await write(registry.as(caller)).then(
      () => 'done',
      (thrown) => toDowserError(thrown).code,
    );
  }
  return results;
}

const same = (names: readonly string[], result: string) => Object.fromEntries(names.map((name) => [name, result]));

describe('every method of a registry', () => {
  it('reads, calls a tool, or is a write of this table', () => {
    const known = [...READS, ...CALLS, ...Object.keys(WRITES)].sort();
    expect(known).toEqual(Object.keys(registry.as({ readers: null })).sort());
  });

  it('refuses to write for a reader', async () => {
    const reader = callerOf({ name: 'ada', groups: [], scopes: ['read'] });
    const names = Object.keys(WRITES);
    expect(await resultsAs(reader, names)).toEqual(same(names, 'INSUFFICIENT_SCOPE'));
    expect(await state()).toEqual(before);
  });

  it('refuses to change for a writer what it does not own, and what no caller owns', async () => {
    const writer = callerOf({ name: 'ada', groups: ['payments'], scopes: ['write'] });
    const admins = [
      'observe',
      'observeStored',
      'review',
      'putEdges',
      'deleteEdges',
      'embedPending',
      'reindex',
      'cleanUpStaleVectors',
    ];
    const owned = Object.keys(WRITES).filter((name) => ![...admins, ...FOR_ALL_WRITERS].includes(name));
    expect(await resultsAs(writer, owned)).toEqual(same(owned, 'FORBIDDEN'));
    expect(await resultsAs(writer, admins)).toEqual(same(admins, 'INSUFFICIENT_SCOPE'));
    expect(await state()).toEqual(before);
    expect(await resultsAs(writer, FOR_ALL_WRITERS)).toEqual(same(FOR_ALL_WRITERS, 'done'));
  });
});

it('gives an unnamed caller of the library everything that it can see, as before', async () => {
  const caller = { readers: ['public'] };
  await registry.as(caller).patch('mcp_server', '/s', { description: 'y' });
  expect((await registry.get('mcp_server', '/s')).entity).toMatchObject({ description: 'y', owner: 'root' });
});

it('leaves work on the whole registry to callers who see all of it', async () => {
  expect(await resultsAs({ readers: ['public'] }, ['deleteEdges', 'embedPending'])).toEqual({
    deleteEdges: 'INSUFFICIENT_SCOPE',
    embedPending: 'INSUFFICIENT_SCOPE',
  });
  const admin = callerOf({ name: 'root', groups: [], scopes: ['admin'] });
  // There is no model here.
  expect(await resultsAs(admin, ['deleteEdges', 'embedPending'])).toEqual({
    deleteEdges: 'done',
    embedPending: 'EMBEDDER_UNAVAILABLE',
  });
});
