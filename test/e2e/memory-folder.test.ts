import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Sandbox } from './cli-process.ts';

vi.setConfig({ testTimeout: 180_000 });

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await Sandbox.open();
});
afterEach(() => sandbox.close());

it('dowser memory export writes a folder that another data folder imports', async () => {
  await sandbox.run(['memory', 'add', 'Staging is on port 8080', '--tag', 'ops']);
  const folder = join(sandbox.dir, 'memories');
  const dry = await sandbox.run(['memory', 'export', folder, '--dry-run']);
  expect(dry.stdout).toBe(`Would write 1, removed: 0, unchanged: 0 (${folder})\n`);
  await expect(readdir(folder)).rejects.toThrow();
  expect((await sandbox.run(['memory', 'export', folder])).code).toBe(0);
  const [name] = await readdir(folder);
  expect(name).toMatch(/^staging-is-on-port-8080-[0-9a-f]{12}\.md$/);
  expect(await readFile(join(folder, name!), 'utf8')).toContain('tags: ["ops"]');
  const other = ['--data', join(sandbox.dir, 'other')];
  const { stdout } = await sandbox.run(['memory', 'import', folder, '--json', ...other]);
  expect(JSON.parse(stdout)).toMatchObject({ format: 'folder of Markdown', stored: 1 });
  expect((await sandbox.run(['memory', 'list', ...other])).stdout).toContain('Staging is on port 8080');
});
