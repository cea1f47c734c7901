import { setTimeout as wait } from 'node:timers/promises';
import type { Findings } from './findings.ts';
import { credentials, quantile, watchOthers } from './others-watch.ts';
import { processUsage } from './process-usage.ts';

export interface LoadOptions {
  readonly clients: number;
  readonly seconds: number;
  /** Every client must be served, and every search be hybrid. Otherwise some may be told 503. */
  readonly all: boolean;
  readonly maxHealthMs: number;
  /** The process of the server: what it takes is reported. */
  readonly pid?: number | undefined;
  /** The key of each client. Default: the server needs none. */
  readonly keys?: readonly string[];
}

/** Tools that the clients write again and again: a catalog that grows would slow the next load down. */
const WRITTEN = 200;

/** The times of the requests that were served, as the server measured them, in milliseconds. */
export interface ServedTimes {
  readonly p50: number;
  readonly p95: number;
}

/** Clients that search and write all the time. One that is refused comes again when it was told to. */
export async function load(url: string, options: LoadOptions, findings: Findings): Promise<ServedTimes> {
  const { clients, seconds, all, maxHealthMs, pid = 0, keys = [] } = options;
  const usage = usageSince(pid);
  const others = await watchOthers(url, keys[0]);
  const until = performance.now() + seconds * 1000;
  const served: number[] = [];
  /** As the server measured it, without the wait for a connection. */
  const inServer: number[] = [];
  const counts = { refused: 0, failed: 0, 'lexical-only': 0 };
  const send = async (client: number, n: number) => {
    const asked = performance.now();
    const isWrite = (client + n) % 10 === 0;
    const body = isWrite
      ? { type: 'tool', path: `/t${client % WRITTEN}`, name: `tool ${client} ${n}`, description: 'Sends a letter.' }
      : { query: `send letter number ${client} ${n} of ${clients}` };
    const response = await fetch(`${url}${isWrite ? '/api/entities:register' : '/api/search/semantic'}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...credentials(keys[client % keys.length]) },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { search_mode?: string };
    const retryAfter = Number(response.headers.get('retry-after'));
    if (response.status === 503 && retryAfter > 0) {
      counts.refused++;
      await wait(1000 * retryAfter);
    } else if (!response.ok) counts.failed++;
    else {
      served.push(performance.now() - asked);
      inServer.push(Number(/dur=([\d.]+)/.exec(response.headers.get('server-timing') ?? '')?.[1] ?? 0));
      if (answer.search_mode === 'lexical-only') counts['lexical-only']++;
    }
  };
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let n = 0; performance.now() < until; n++) {
        await send(client, n).catch(() => {
          counts.failed++;
        });
      }
    }),
  );
  const { health } = await others.stop();
  const healthP99 = quantile(health, 0.99);
  const times = { p50: quantile(inServer, 0.5), p95: quantile(inServer, 0.95) };
  findings.report(`${clients} clients`, {
    served: served.length,
    p50: quantile(served, 0.5),
    p95: quantile(served, 0.95),
    p99: quantile(served, 0.99),
    'in server p50': times.p50,
    'in server p95': times.p95,
    'in server p99': quantile(inServer, 0.99),
    ...counts,
    'health p50': quantile(health, 0.5),
    'health p99': healthP99,
    ...usage(),
  });
  findings.expect(counts.failed === 0, `${clients} clients: ${counts.failed} requests failed`);
  findings.expect(served.length > 0, `${clients} clients: none was served`);
  if (!all) return times;
  const { refused, 'lexical-only': lexical } = counts;
  findings.expect(refused + lexical === 0, `${clients} clients: ${refused} refused, ${lexical} lexical-only`);
  findings.expect(healthP99 <= maxHealthMs, `${clients} clients: health took ${healthP99} ms`);
  return times;
}

/** What the server and its clients, which run in this process, have taken since. */
function usageSince(pid: number): () => Readonly<Record<string, number>> {
  const [server, clients] = [processUsage(pid), processUsage(process.pid)];
  return () => {
    const [serverNow, clientsNow] = [processUsage(pid), processUsage(process.pid)];
    if (server === null || clients === null || serverNow === null || clientsNow === null) return {};
    return {
      'server CPU s': Math.round(serverNow.cpuSeconds - server.cpuSeconds),
      'server MB': serverNow.memoryMegabytes,
      'clients CPU s': Math.round(clientsNow.cpuSeconds - clients.cpuSeconds),
    };
  };
}
