import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseSettings } from '../config.ts';
import { openRegistry } from '../open.ts';
import type { Registry } from '../registry/registry.ts';
import { checkStore } from './doctor-checks.ts';
import { writeServerFile } from './server-file.ts';

let dir: string;
let holder: Registry;
const settings = () => parseSettings({ data_dir: dir, embeddings_provider: 'off' });
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-doctor-'));
  holder = await openRegistry(settings());
});
afterEach(async () => {
  await holder.close();
  await rm(dir, { recursive: true });
});

it('tells a server that does not answer from another command', async () => {
  const [command] = await checkStore(settings(), undefined);
  expect(command).toMatchObject({ name: 'database', status: 'fail', hint: expect.stringContaining('another command') });
  await writeServerFile(dir, 'http://127.0.0.1:9');
  const [server] = await checkStore(settings(), undefined);
  expect(server).toMatchObject({ name: 'database', status: 'fail' });
  expect(server?.hint).toContain('the server at http://127.0.0.1:9, which does not answer');
});
