import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openRegistry } from '../src/open.ts';
import type { LocalRegistry } from '../src/registry/contract/registry.ts';
import { addServer } from '../test/support/called-registry.ts';
import { httpUpstream, SPEECHES, type Speech } from '../test/support/http-upstream.ts';

/**
 * What calls do under bad conditions: how soon a cancellation arrives, what a dead server costs the others, and whether memory
 * grows. By hand:
 *
 *   node --expose-gc --import tsx bench/call-limits.ts [reconnects]
 *
 * Starts fakes of servers only, and ends all of them.
 */
const [reconnects = 1000] = process.argv.slice(2).map(Number);
const FIXTURE = fileURLToPath(new URL('../test/support/call-fixture.mjs', import.meta.url));
const collect = (globalThis as { gc?: () => void }).gc;
if (collect === undefined) throw new Error('Run it with node --expose-gc.');

const quantile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)]!;

async function opened(use: (registry: LocalRegistry, dir: string) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'dowser-bench-limits-'));
  const registry = await openRegistry({
    engine: 'memory',
    data_dir: dir,
    embeddings_provider: 'off',
    call: 'write',
    call_rate: 0,
    call_idle_ms: 1000,
  });
  await use(registry, dir);
  await registry.close();
  rmSync(dir, { recursive: true, force: true });
}
const program = (dir: string, name: string) => ({
  command: process.execPath,
  args: [FIXTURE, join(dir, name)],
  name,
});

// From the abort of a caller to the cancellation at the server of the tool.
const late: Record<string, number[]> = { stdio: [] };
await opened(async (registry, dir) => {
  await addServer(registry, dir, program(dir, 'bad'));
  const lines = (start: string) =>
    existsSync(join(dir, 'bad'))
      ? readFileSync(join(dir, 'bad'), 'utf8')
          .split('\n')
          .filter((line) => line.startsWith(start)).length
      : 0;
  for (let nth = 1; nth <= 20; nth++) {
    const controller = new AbortController();
    const call = registry.call({ path: '/bad#hang' }, { signal: controller.signal }).catch(() => {});
    while (lines('call hang') < nth) await sleep(5);
    const began = performance.now();
    controller.abort();
    while (lines('cancelled') < nth) await sleep(1);
    late.stdio!.push(performance.now() - began);
    await call;
  }
});
async function atAddress(speech: Speech, use: (registry: LocalRegistry, log: string[]) => Promise<void>) {
  const upstream = await httpUpstream(speech);
  await opened(async (registry, dir) => {
    const transport = speech === 'sse' ? ({ transport: 'sse' } as const) : {};
    await addServer(registry, dir, { url: upstream.url, name: 'far', ...transport });
    await use(registry, upstream.log);
  });
  await upstream.close();
}
for (const speech of SPEECHES) {
  late[speech] = [];
  await atAddress(speech, async (registry, log) => {
    for (let nth = 1; nth <= 20; nth++) {
      log.length = 0;
      const controller = new AbortController();
      const call = registry.call({ path: '/far#hang' }, { signal: controller.signal }).catch(() => {});
      while (!log.includes('call hang')) await sleep(5);
      const began = performance.now();
      controller.abort();
      while (!log.includes('cancelled hang')) await sleep(1);
      late[speech]!.push(performance.now() - began);
      await call;
    }
  });
}
for (const [way, times] of Object.entries(late)) {
  console.log(
    `a cancellation arrives, ${way}: median ${quantile(times, 0.5).toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)} ms`,
  );
}

// Five servers that answer, with and without a sixth that always fails to start and a seventh that never answers.
await opened(async (registry, dir) => {
  const good = ['a', 'b', 'c', 'd', 'e'];
  for (const name of good) await addServer(registry, dir, program(dir, name));
  for (const [name, env] of [
    ['fails', { FIXTURE_FAIL: 'yes' }],
    ['hangs', { FIXTURE_START_MS: '600000' }],
  ] as const) {
    await addServer(registry, dir, program(dir, name), { ...program(dir, name), env });
  }
  const call = (name: string) => registry.call({ path: `/${name}#echo`, arguments: { text: 'x' } });
  for (const name of good) await call(name);
  const measured = async () => {
    const times: number[] = [];
    for (let nth = 0; nth < 500; nth++) {
      const began = performance.now();
      await call(good[nth % good.length]!);
      times.push(performance.now() - began);
    }
    return { p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
  };
  const rounds: { alone: { p50: number; p95: number }; beside: { p50: number; p95: number } }[] = [];
  for (let round = 0; round < 6; round++) {
    const alone = await measured();
    let isOver = false;
    const dead = ['fails', 'hangs'].map(async (name) => {
      while (!isOver) await Promise.race([call(name).catch(() => {}), sleep(20)]).then(() => sleep(10));
    });
    const beside = await measured();
    isOver = true;
    await Promise.all(dead);
    await registry.stopUpstreams('/hangs');
    if (round > 0) rounds.push({ alone, beside });
  }
  const of = (key: 'p50' | 'p95', which: 'alone' | 'beside') =>
    quantile(
      rounds.map((round) => round[which][key]),
      0.5,
    ).toFixed(2);
  console.log(
    `five servers: p50 ${of('p50', 'alone')} ms, p95 ${of('p95', 'alone')} ms; beside two dead ones that are called all the time: p50 ${of('p50', 'beside')} ms, p95 ${of('p95', 'beside')} ms`,
  );
});

/** In MB, of what is still in use. */
async function heap(): Promise<number> {
  for (let nth = 0; nth < 4; nth++) {
    collect!();
    await sleep(400);
  }
  return process.memoryUsage().heapUsed / 1e6;
}

// Memory after idling: everything is ended, and nothing is kept.
await opened(async (registry, dir) => {
  await addServer(registry, dir, program(dir, 'bad'));
  const work = async () => {
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let nth = 0; nth < 250; nth++) await registry.call({ path: '/bad#echo', arguments: { text: `${nth}` } });
      }),
    );
    while ((await registry.upstreams()).length > 0) await sleep(100);
    return { heap: await heap(), rss: process.memoryUsage().rss / 1e6 };
  };
  const first = await work();
  const second = await work();
  const third = await work();
  const change = (key: 'heap' | 'rss') => `${(((third[key] - first[key]) / first[key]) * 100).toFixed(1)} %`;
  console.log(
    `after idling, three times 2,000 calls: heap ${first.heap.toFixed(1)}, ${second.heap.toFixed(1)}, ${third.heap.toFixed(1)} MB (${change('heap')}), RSS ${first.rss.toFixed(0)}, ${second.rss.toFixed(0)}, ${third.rss.toFixed(0)} MB (${change('rss')})`,
  );
});

// A connection that breaks at each call, and is opened again.
for (const speech of SPEECHES) {
  await atAddress(speech, async (registry, log) => {
    const found: string[] = [];
    for (let nth = 1; nth <= reconnects; nth++) {
      await registry.call({ path: '/far#reset_write' }).catch(() => {});
      log.length = 0;
      if (nth % Math.ceil(reconnects / 4) === 0) found.push(`${(await heap()).toFixed(1)} MB after ${nth}`);
    }
    console.log(`heap with reconnects, ${speech}: ${found.join(', ')}`);
  });
}
