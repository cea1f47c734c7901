import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseSettings } from '../../config.ts';
import { checkStore } from './doctor-checks.ts';

let dir: string;
let holder: ChildProcess;
const settings = () => parseSettings({ data_dir: dir, embeddings_provider: 'off' });
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-doctor-'));
  const script = fileURLToPath(new URL('../../../test/support/engine-holder.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, dir], { stdio: ['pipe', 'pipe', 'inherit'] });
  holder = child;
  await once(child.stdout, 'data');
});
afterEach(async () => {
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  await rm(dir, { recursive: true });
});

it('tells a server that does not answer from another command', async () => {
  const [command] = await checkStore(settings(), undefined);
  expect(command).toMatchObject({ name: 'database', status: 'fail', hint: expect.stringContaining('another command') });
  await writeFile(join(dir, 'server.json'), JSON.stringify({ url: 'http://127.0.0.1:9', pid: holder.pid }));
  const [server] = await checkStore(settings(), undefined);
  expect(server).toMatchObject({ name: 'database', status: 'fail' });
  expect(server?.hint).toContain('the server at http://127.0.0.1:9, which does not answer');
});
