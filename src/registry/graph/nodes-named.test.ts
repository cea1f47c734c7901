import { afterAll, beforeAll, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import type { LocalRegistry, ScopedRegistry } from '../contract/registry.ts';

let registry: LocalRegistry;
beforeAll(async () => {
  registry = await memoryRegistry();
  const entity = (type: string, path: string, name: string, more: object = {}) => ({
    type,
    path,
    name,
    description: 'x',
    ...more,
  });
  await registry.putMany([
    entity('package', '/packages/prisma', 'Prisma Client'),
    entity('package', '/packages/drizzle-orm', 'Drizzle'),
    entity('package', '/packages/redis', 'Redis'),
    entity('mcp_server', '/redis', 'Redis'),
    entity('skill', '/team/redis', 'Key-value stores'),
    entity('package', '/secret/drizzle', 'Drizzle', { visibility: 'private', owner: 'ada' }),
  ]);
});
afterAll(() => registry.close());

const namedIn = async (own: ScopedRegistry, name: string) => {
  const { entities } = await own.compare({ entities: [name, '/team/redis'] });
  return entities[0]!.path;
};
const stranger = () => registry.as({ readers: ['public'] });

it.each([
  ['/packages/prisma', '/packages/prisma'],
  ['packages/prisma', '/packages/prisma'],
  ['package:/packages/prisma', '/packages/prisma'],
  ['prisma client', '/packages/prisma'],
  ['Prisma', '/packages/prisma'],
  ['redis', '/redis'],
  ['key-value STORES', '/team/redis'],
])('%j names %s', async (name, path) => {
  expect(await namedIn(registry, name)).toBe(path);
});

it('refuses a name of several entities, with their ids, and a name of none', async () => {
  await expect(namedIn(registry, 'DRIZZLE')).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'Several entities are named "DRIZZLE": package:/packages/drizzle-orm, package:/secret/drizzle.',
  });
  await expect(namedIn(registry, 'nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('does not see the names of hidden entities', async () => {
  expect(await namedIn(stranger(), 'drizzle')).toBe('/packages/drizzle-orm');
});

it('warns of what a stack cannot place', async () => {
  const { warnings } = await registry.getStack({
    use_case: 'a cache',
    existing_tools: ['drizzle', 'nothing', 'prisma'],
  });
  expect(warnings.slice(0, 2)).toEqual([
    'Several entities are named "drizzle": package:/packages/drizzle-orm, package:/secret/drizzle. Name one of them by its id.',
    '"nothing" is not registered: nothing is known of how it fits.',
  ]);
  expect(warnings.join()).not.toContain('prisma');
});
