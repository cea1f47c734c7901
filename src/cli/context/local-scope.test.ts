import { expect, it } from 'vitest';
import { WordEmbedder } from '../../../test/support/word-embedder.ts';
import { wordsRegistry } from '../../../test/support/words-registry.ts';
import { parseSettings } from '../../config.ts';
import { callerOf } from '../../model/caller/caller.ts';
import type { CommandRun } from './context.ts';
import { localScope } from './local-scope.ts';

it('lets a command embed what it wrote, and counts only what its caller may read', async () => {
  const all = await wordsRegistry([], new WordEmbedder());
  const skill = (path: string, more: object) => ({ type: 'skill', path, name: path, description: 'x', ...more });
  const run = { key: { caller: () => callerOf({ name: 'key:ci', groups: [], scopes: ['write'] }) } };
  const scope = await localScope(run as unknown as CommandRun, parseSettings({ audit: false }));
  const scoped = scope.registry(all);
  await all.put(skill('/hidden', { visibility: 'private', owner: 'root' }), { vectors: 'later' });
  await scoped.put(skill('/mine', { visibility: 'private' }), { vectors: 'later' });
  const { embedded, remaining } = await scoped.embedPending();
  expect([embedded, remaining]).toEqual([1, 0]);
  expect((await all.health()).index.missing_vectors).toBe(0);
  // The registry itself leaves it to admins.
  await expect(all.as({ readers: ['public'] }).embedPending()).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
  await all.close();
});
