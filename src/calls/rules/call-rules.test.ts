import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { CallRuleFile } from './call-rules.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

it('keeps the denials of two commands that write at once', async () => {
  const files = ['/a', '/b', '/c', '/d'].map((path) => ({ path, file: new CallRuleFile(folder.path) }));
  await Promise.all(files.map(({ path, file }) => file.write(path, (rule) => ({ ...rule, deny: ['drop'] }))));
  expect(Object.keys(new CallRuleFile(folder.path).read()).sort()).toEqual(['/a', '/b', '/c', '/d']);
});

it('adds to a rule that another command has written meanwhile', async () => {
  const deny = (tool: string) =>
    new CallRuleFile(folder.path).write('/a', ({ deny }) => ({ deny: [...(Array.isArray(deny) ? deny : []), tool] }));
  await Promise.all(['drop', 'burn', 'wipe'].map(deny));
  expect([...(new CallRuleFile(folder.path).read()['/a']!.deny as string[])].sort()).toEqual(['burn', 'drop', 'wipe']);
});
