import { expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';

it('names the bad entity of a batch, with the details of the error', async () => {
  const registry = await memoryRegistry();
  const skills = [
    { type: 'skill', path: '/a', name: 'a' },
    { type: 'skill', path: '/b', name: '' },
  ];
  const refused = { code: 'INVALID_REQUEST', field: 'entities.1.name', details: { value: '""' } };
  await expect(registry.putMany(skills)).rejects.toMatchObject(refused);
  expect((await registry.health()).index.entities).toBe(0);
});

it('refuses a batch that is not a list', async () => {
  const registry = await memoryRegistry();
  const refused = { code: 'INVALID_REQUEST', field: 'entities' };
  await expect(registry.putMany('all' as unknown as unknown[])).rejects.toMatchObject(refused);
});
