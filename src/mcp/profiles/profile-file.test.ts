import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { ProfileFile } from './profile-file.ts';

/** Called once, when a profile is about to be stored. */
let meanwhile = () => {};
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const writeFileSync: typeof fs.writeFileSync = (...args) => {
    fs.writeFileSync(...args);
    const once = meanwhile;
    meanwhile = () => {};
    once();
  };
  return { ...fs, writeFileSync };
});

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

it.each<[string, string[]]>([
  ['set', ['ours', 'theirs']],
  ['removed', ['theirs']],
])('keeps what another command stores while a profile is %s', (how, names) => {
  const [one, other] = [new ProfileFile(folder.path), new ProfileFile(folder.path)];
  one.write('ours', { tags: ['a'] });
  meanwhile = () => other.write('theirs', { tags: ['b'] });
  one.write('ours', how === 'set' ? { tags: ['c'] } : null);
  expect(Object.keys(new ProfileFile(folder.path).read())).toEqual(names);
});
