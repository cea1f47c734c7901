import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../test/support/command-run.ts';
import { command as add } from '../commands/add.ts';
import { command as get } from '../commands/get.ts';
import { command as refresh } from '../commands/refresh.ts';
import type { CommandModule } from '../context/context.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-namespaces-'));
  for (const owner of ['acme', 'other']) await skill(owner, `Forms of ${owner}`);
});
afterEach(() => rm(dir, { recursive: true }));

async function skill(owner: string, description: string, name = 'pdf'): Promise<void> {
  const folder = join(dir, owner, name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'SKILL.md'), `---\nname: ${name}\ndescription: ${description}\n---\nFill in forms\n`);
}

const run = async (command: CommandModule, ...args: string[]) =>
  JSON.parse(await runCommand(command, [...args, '--json', '--data', join(dir, 'data')]));
const descriptionAt = async (path: string) => (await run(get, 'get', `skill:${path}`)).entity.description;

describe('two collections with a skill of one name', () => {
  it('live side by side with a namespace, and are read again where they are', async () => {
    await run(add, 'add', join(dir, 'acme'), '--namespace', 'acme');
    await run(add, 'add', join(dir, 'other'));
    expect(await descriptionAt('/skills/acme/pdf')).toBe('Forms of acme');
    expect(await descriptionAt('/skills/pdf')).toBe('Forms of other');

    await skill('acme', 'New forms of acme');
    const { sources } = await run(refresh, 'refresh');
    expect(sources.flatMap(({ results }: { results: { path: string; state: string }[] }) => results)).toMatchObject([
      { path: '/skills/acme/pdf', state: 'updated' },
      { path: '/skills/pdf', state: 'unchanged' },
    ]);
    await skill('acme', 'Zips of acme', 'zip');
    await run(refresh, 'refresh');
    expect(await descriptionAt('/skills/acme/zip')).toBe('Zips of acme');
    const shown = await runCommand(get, ['get', 'skill:/skills/acme/pdf', '--data', join(dir, 'data')]);
    expect(shown).toContain('New forms of acme');
  });

  it('are two sources if one folder is added under two namespaces', async () => {
    for (const namespace of ['one', 'two']) await run(add, 'add', join(dir, 'acme'), '--namespace', namespace);
    await skill('acme', 'New forms of acme');
    const { sources } = await run(refresh, 'refresh');
    expect(sources.map(({ results }: { results: unknown }) => results)).toMatchObject([
      [{ path: '/skills/one/pdf', state: 'updated' }],
      [{ path: '/skills/two/pdf', state: 'updated' }],
    ]);
  });

  it('is not for kinds whose paths are names, and must be a plain name', async () => {
    const adding = (...args: string[]) => run(add, 'add', ...args);
    await expect(adding(join(dir, 'acme'), '--namespace', '../up')).rejects.toMatchObject({ field: 'namespace' });
    await expect(adding('npm:zod', '--namespace', 'acme')).rejects.toThrow('kind npm');
  });
});
