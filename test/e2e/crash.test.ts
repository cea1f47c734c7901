import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import type { Engine } from '../../src/engines/engine.ts';
import { MemoryEngine } from '../../src/engines/memory/memory-engine.ts';
import { expectAgreement } from '../support/engine-agreement.ts';
import { TOY_EMBEDDER, temporaryFolder } from '../support/engine-fixtures.ts';
import { STEP_QUERIES, STILL, takeStep } from '../support/engine-steps.ts';

const WRITER = fileURLToPath(new URL('../support/engine-crash-writer.ts', import.meta.url));
const ROUNDS = 5;
const MAX_LIFE_MS = 400;

let folder: ReturnType<typeof temporaryFolder>;
let child: ChildProcess | undefined;

beforeEach(() => {
  folder = temporaryFolder();
});

afterEach(() => {
  child?.kill('SIGKILL');
  folder.remove();
});

/** Lets a process write from step `first` on, kills it `afterMs` after its first acknowledgement; returns the last one. */
async function writeUntilKilled(first: number, afterMs: number): Promise<number> {
  child = spawn(process.execPath, ['--import', 'tsx', WRITER, folder.path, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  const closed = once(child, 'close');
  await Promise.race([once(child.stdout!, 'data'), closed]);
  await wait(afterMs);
  child.kill('SIGKILL');
  const [, signal] = await closed;
  expect(signal).toBe('SIGKILL');
  return Number(output.trim().split('\n').at(-1));
}

/** Tells two states of the record apart: every step changes which entities there are, what is in them, or the vectors. */
async function stateOf(engine: Engine): Promise<string> {
  const { entities } = await engine.store.scan({ limit: 1000 });
  return JSON.stringify([entities.map(({ entity }) => entity), (await engine.index.stats()).vectors]);
}

it('loses no acknowledged write, keeps none by half, and searches what it kept, however often it is killed', async () => {
  const expected = new MemoryEngine({ embedder: TOY_EMBEDDER, now: STILL });
  let next = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const acknowledged = await writeUntilKilled(next, Math.random() * MAX_LIFE_MS);
    expect(acknowledged).toBeGreaterThanOrEqual(next);
    for (; next <= acknowledged; next++) await takeStep(expected, next);

    const snapshotAfterUnits = round % 2 === 0 ? 0 : Number.POSITIVE_INFINITY;
    const actual = await openEmbedded({ dir: folder.path, embedder: TOY_EMBEDDER, now: STILL, snapshotAfterUnits });
    // The write that was under way may have been kept: then all of it.
    if ((await stateOf(actual)) !== (await stateOf(expected))) await takeStep(expected, next++);
    await expectAgreement(actual, expected, STEP_QUERIES, [{}, { unitKinds: ['tool'] }]);
    await actual.close();
  }
  expect(next).toBeGreaterThan(ROUNDS);
});
