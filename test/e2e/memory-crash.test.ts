import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openMemories, openRegistry } from '../../src/open.ts';
import { temporaryFolder } from '../support/engine-fixtures.ts';

const WRITER = fileURLToPath(new URL('../support/memory-crash-writer.ts', import.meta.url));
const ROUNDS = 3;
const MAX_LIFE_MS = 300;

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

/** Lets a process write, kills it `afterMs` after its first acknowledgement; returns the last one. */
async function writeUntilKilled(first: number, afterMs: number): Promise<number> {
  const child = spawn(process.execPath, ['--import', 'tsx', WRITER, folder.path, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  const closed = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), closed]);
  await wait(afterMs);
  child.kill('SIGKILL');
  await closed;
  return Number(output.trim().split('\n').at(-1));
}

it('stores a memory and supersedes the old one, both or neither, however often it is killed', async () => {
  let next = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const acknowledged = await writeUntilKilled(next, Math.random() * MAX_LIFE_MS);
    expect(acknowledged).toBeGreaterThanOrEqual(next);
    const registry = await openRegistry({ data_dir: folder.path, embeddings_provider: 'off' }, { background: false });
    const memories = await openMemories(registry);
    const { total } = await memories.list({ include_superseded: true });
    // What was not acknowledged may be stored: one at most.
    expect([acknowledged + 1, acknowledged + 2]).toContain(total);
    expect((await memories.list()).total).toBe(1);
    const all = [];
    for (let page = 1; page <= Math.ceil(total / 100); page++) {
      all.push(...(await memories.list({ include_superseded: true, page, page_size: 100 })).memories);
    }
    const byHash = new Map(all.map((memory) => [memory.content_hash, memory]));
    for (const { content_hash, superseded } of all) {
      if (superseded !== null) expect(byHash.get(superseded.by)?.supersedes).toEqual([content_hash]);
    }
    next = total;
    await registry.close();
  }
});
