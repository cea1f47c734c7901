import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { parseSettings } from '../config.ts';
import type { DowserError } from '../model/errors/errors.ts';
import { Admission } from './load/admission.ts';

/** What a request costs in milliseconds. As measured on a server with 10,000 entities. */
const SERVED_MS = 4;
const REFUSED_MS = 0.4;
const SECONDS = 20;

interface Outcome {
  readonly p50: number;
  readonly p95: number;
  readonly refused: number;
}

/** Clients that send again as soon as they are served, or when they are told to, against the default limits. No clock is read. */
async function simulate(clients: number): Promise<Outcome> {
  let now = 0;
  const { max_running_requests: running, max_waiting_requests: waiting } = parseSettings({});
  const admission = new Admission({ running, waiting, waitMs: 60_000, now: () => now });
  const nextAt = new Array<number>(clients).fill(0);
  const held: { client: number; at: number }[] = [];
  const leaves: (() => void)[] = [];
  const times: number[] = [];
  const send = (client: number) => {
    try {
      admission.check();
      void admission.enter().then((leave) => leaves.push(leave));
      held.push({ client, at: now });
      nextAt[client] = Number.POSITIVE_INFINITY;
    } catch (thrown) {
      now += REFUSED_MS;
      nextAt[client] = now + 1000 * (thrown as DowserError).details!.retry_after!;
    }
  };
  while (now < SECONDS * 1000) {
    for (let client = 0; client < clients; client++) if (nextAt[client]! <= now) send(client);
    while (leaves.length === 0) await setImmediate();
    now += SERVED_MS;
    const { client, at } = held.shift()!;
    times.push(now - at);
    nextAt[client] = now;
    leaves.shift()!();
  }
  times.sort((a, b) => a - b);
  const quantile = (share: number) => times[Math.floor(share * times.length)]!;
  return { p50: quantile(0.5), p95: quantile(0.95), refused: admission.counts.refused };
}

describe('the default limits', () => {
  it('serve 200 clients without a refusal, and those of 1,000 that are served as fast', async () => {
    const few = await simulate(200);
    const many = await simulate(1000);
    expect(few.refused).toBe(0);
    expect(many.refused).toBeGreaterThan(0);
    expect(many.p50).toBeLessThan(1.1 * few.p50);
    expect(many.p95).toBeLessThan(1.1 * few.p95);
  });
});
