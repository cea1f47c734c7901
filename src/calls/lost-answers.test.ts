import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { addServer, type CalledRegistry, calledRegistry } from '../../test/support/called-registry.ts';
import { httpUpstream, type Speech } from '../../test/support/http-upstream.ts';
import { openRegistry } from '../open.ts';
import type { CallAnswer } from '../registry/contract/registry.ts';

// Each test starts processes, and a machine may be busy with others.
vi.setConfig({ testTimeout: 120_000 });

/** `CASES=1000 npx vitest run src/calls/lost-answers.test.ts` for the count in docs/calls.md. */
const KILLS = Number(process.env.CASES ?? 10);
const KILLS_MS = 120_000 + KILLS * 4000;

let called: CalledRegistry | undefined;
afterEach(async () => {
  await called?.close();
  called = undefined;
});

async function open() {
  called = await calledRegistry();
  const { registry } = called;
  const call = (tool: string, args: object = {}) => registry.call({ path: `/bad#${tool}`, arguments: args });
  return { ...called, call };
}
const textOf = ({ result }: CallAnswer) => (result.content as { text: string }[]).map(({ text }) => text).join('');
const code = (name: string) => expect.objectContaining({ code: name });
const sent = (log: readonly string[]) => log.filter((line) => line.startsWith('call '));

describe('a server that dies between a call and its answer', () => {
  it.each(['crash_write', 'crash_destructive'])(
    'has run %s at most once, and nobody says more than is known',
    async (tool) => {
      const { call, log } = await open();
      await expect(call(tool)).rejects.toThrow(code('OUTCOME_UNKNOWN'));
      expect(sent(log())).toHaveLength(1);
      // It can be called again, by whoever has checked.
      expect(textOf(await call(tool))).toBe('survived');
    },
  );

  it('is asked again by a tool that only reads', async () => {
    const { call, log } = await open();
    expect(textOf(await call('crash_read'))).toBe('survived');
    expect([sent(log()).length, log().filter((line) => line.startsWith('start ')).length]).toEqual([2, 2]);
  });

  it('is noticed although a child of it keeps its output open, and the child is ended too', async () => {
    const { call, running } = await open();
    await expect(call('orphan_write')).rejects.toThrow(code('OUTCOME_UNKNOWN'));
    await vi.waitFor(() => expect(running()).toEqual([]), { timeout: 60_000, interval: 100 });
  });
});

it('a server whose answer has no end is ended, and the call says that it is no use to repeat it', async () => {
  const { call, running } = await open();
  await expect(call('flood', { lines: 1_500_000 })).rejects.toThrow(
    expect.objectContaining({
      code: 'PROTOCOL',
      message: expect.stringContaining('sent a message of more than 33554432 bytes'),
      details: expect.objectContaining({ retryable: false }),
    }),
  );
  await vi.waitFor(() => expect(running()).toEqual([]), { timeout: 60_000, interval: 100 });
});

describe('killed again and again, at any moment of a call', () => {
  it(
    `a program has run no write twice: ${KILLS} kills`,
    async () => {
      const { call, log, registry } = await open();
      const outcomes: Record<string, number> = {};
      for (let nth = 0; nth < KILLS; nth++) {
        await call('echo');
        const pid = (await registry.upstreams())[0]!.pid!;
        const outcome = call('slow_write', { text: `w${nth}`, ms: 5 }).then(
          () => 'OK',
          (error: { code: string }) => error.code,
        );
        await sleep(nth % 12);
        process.kill(pid, 'SIGKILL');
        const ended = await outcome;
        outcomes[ended] = (outcomes[ended] ?? 0) + 1;
        const times = log().filter((line) => line.includes(`"w${nth}"`)).length;
        expect(times, ended).toBeLessThanOrEqual(1);
        if (ended === 'OK') expect(times).toBe(1);
      }
      expect(Object.keys(outcomes).filter((name) => name !== 'OK' && name !== 'OUTCOME_UNKNOWN')).toEqual([]);
      if (KILLS >= 1000) console.log(`${KILLS} kills of a program: ${JSON.stringify(outcomes)}, no write twice`);
    },
    KILLS_MS,
  );

  it.each<Speech>(['streamable', 'sse', 'modern'])(
    `a connection has sent no write twice, and each is said to be unknown: %s, ${KILLS} times`,
    async (speech) => {
      const upstream = await httpUpstream(speech);
      const dir = await mkdtemp(join(tmpdir(), 'dowser-lost-'));
      const registry = await openRegistry({
        engine: 'memory',
        data_dir: dir,
        embeddings_provider: 'off',
        call: 'write',
        call_rate: 0,
      });
      await addServer(registry, dir, {
        url: upstream.url,
        name: 'far',
        ...(speech === 'sse' ? { transport: 'sse' } : {}),
      });
      for (let nth = 0; nth < KILLS; nth++) {
        await expect(registry.call({ path: '/far#reset_write' })).rejects.toThrow(code('OUTCOME_UNKNOWN'));
      }
      expect(upstream.log.filter((line) => line === 'call reset_write')).toHaveLength(KILLS);
      await registry.close();
      await upstream.close();
      await rm(dir, { recursive: true, force: true });
    },
    KILLS_MS,
  );
});
