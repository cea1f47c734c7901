// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of configurations
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Sandbox } from './cli-process.ts';

vi.setConfig({ testTimeout: 180_000 });

const published = (name: string) =>
  join(
    dirname(createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/package.json`)),
    'dist',
    'index.js',
  );

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await Sandbox.open();
});
afterEach(() => sandbox.close());

const DESK = {
  type: 'mcp_server',
  path: '/desk',
  name: 'Desk',
  deployment: 'local',
  local_runtime: { type: 'npx', package: 'desk-server', env: { DESK_API_KEY: 'sk-1234567890abcdef1234', LOG: 'info' } },
};
const register = async () => sandbox.run(['import', await sandbox.file('desk.jsonl', [DESK])]);

const COMMENTED =
  '{\n  // mine\n  "mcpServers": {\n    "mine": { "command": "mine", "env": { "A": "ghp_1" } }, // stays\n  },\n}\n';

async function cursorFile(text: string): Promise<string> {
  const file = join(sandbox.dir, '.cursor', 'mcp.json');
  await mkdir(dirname(file));
  await writeFile(file, text, { mode: 0o640 });
  return file;
}

describe('dowser install', () => {
  it('shows the difference, writes it with --yes, and takes it back byte by byte', async () => {
    await register();
    const file = await cursorFile(COMMENTED);
    const args = ['install', '/desk', '--client', 'cursor'];
    const shown = await sandbox.run(args);
    expect(shown.stdout).toContain('+     "desk": {');
    expect(shown.stdout).not.toMatch(/mine|ghp_1/);
    expect(shown.stdout).toContain('Set DESK_API_KEY where Cursor runs.\nNothing was written. Add --yes to write it.');
    expect(await readFile(file, 'utf8')).toBe(COMMENTED);

    expect((await sandbox.run([...args, '--yes'])).code).toBe(0);
    const text = await readFile(file, 'utf8');
    for (const part of ['// mine', '// stays', '"${env:DESK_API_KEY}"', '"LOG": "info"']) expect(text).toContain(part);
    expect(text).not.toContain('sk-1234567890');
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect(text.split('// stays')[0]).toBe(COMMENTED.split('// stays')[0]);
    expect(await readFile(join(sandbox.data, 'installs.json'), 'utf8')).not.toMatch(/sk-1234567890|ghp_1/);
    expect(JSON.parse((await sandbox.run([...args, '--yes', '--json'])).stdout)).toMatchObject({ state: 'unchanged' });

    expect((await sandbox.run([...args, '--undo', '--yes'])).code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(COMMENTED);
    expect((await sandbox.run([...args, '--undo', '--yes'])).stderr).toContain('did not install');
  });

  it('touches nothing that it did not write', async () => {
    await register();
    const args = ['install', '/desk', '--client', 'cursor'];
    const file = await cursorFile('{"mcpServers": {"desk": {"command": "my-own"}}}');
    const refused = await sandbox.run([...args, '--yes']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('was not installed by Dowser')]);
    expect((await sandbox.run([...args, '--yes', '--name', 'desk2'])).code).toBe(0);
    const edited = (await readFile(file, 'utf8')).replace('"desk-server"', '"desk-server@1"');
    await writeFile(file, edited);
    const undo = await sandbox.run(['install', 'desk2', '--client', 'cursor', '--undo', '--yes']);
    expect([undo.code, undo.stderr]).toEqual([1, expect.stringContaining('was changed since it was installed')]);
    expect(await readFile(file, 'utf8')).toBe(edited);
  });

  it('writes what was added by its command, for each client, into new files, and removes them again', async () => {
    await sandbox.run(['add', '--', process.execPath, published('memory')]);
    const home = (path: string) => join(sandbox.dir, path);
    const files = { claude: home('.claude.json'), codex: home('.codex/config.toml') };
    for (const [client, file] of Object.entries(files)) {
      expect((await sandbox.run(['install', '/memory-server', '--client', client, '--yes'])).code).toBe(0);
      expect(await readFile(file, 'utf8')).toContain(published('memory'));
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    }
    expect(JSON.parse(await readFile(files.claude, 'utf8')).mcpServers['memory-server']).toEqual({
      command: process.execPath,
      args: [published('memory')],
    });
    // What it wrote starts the server.
    const { stdout } = await sandbox.run(['lint', files.claude, '--no-search', '--json']);
    expect(JSON.parse(stdout).servers).toHaveLength(1);
    for (const [client, file] of Object.entries(files)) {
      await sandbox.run(['install', '/memory-server', '--client', client, '--undo', '--yes']);
      expect(existsSync(file)).toBe(false);
    }
  });

  it('follows a link, and writes nothing with --dry-run or into a broken file', async () => {
    await register();
    const real = join(sandbox.dir, 'dotfiles.json');
    await writeFile(real, '{}\n');
    const link = join(sandbox.dir, 'link.json');
    await symlink(real, link);
    const args = ['install', '/desk', '--client', 'vscode', '--file', link, '--yes'];
    await sandbox.run([...args, '--dry-run']);
    expect(await readFile(real, 'utf8')).toBe('{}\n');
    await sandbox.run(args);
    expect(JSON.parse(await readFile(real, 'utf8')).servers.desk.type).toBe('stdio');
    await writeFile(real, '{"servers": ');
    const { code, stderr } = await sandbox.run(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not JSON')]);
    expect(await readFile(real, 'utf8')).toBe('{"servers": ');
  });
});
