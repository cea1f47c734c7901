import { setTimeout as wait } from 'node:timers/promises';
import type { Findings } from './findings.ts';
import { credentials, quantile, watchOthers } from './others-watch.ts';

export interface LoadOptions {
  readonly clients: number;
  readonly seconds: number;
  /** Every client must be served, and every search be hybrid. Otherwise some may be told 503. */
  readonly all: boolean;
  readonly maxHealthMs: number;
  /** The key of each client. Default: the server needs none. */
  readonly keys?: readonly string[];
}

/** Clients that search and write all the time. */
export async function load(url: string, options: LoadOptions, findings: Findings): Promise<void> {
  const { clients, seconds, all, maxHealthMs, keys = [] } = options;
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
      ? { type: 'tool', path: `/t${client}-${n}`, name: `tool ${client} ${n}`, description: 'Sends a letter.' }
      : { query: `send letter number ${client} ${n}` };
    const response = await fetch(`${url}${isWrite ? '/api/entities:register' : '/api/search/semantic'}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...credentials(keys[client % keys.length]) },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { search_mode?: string };
    if (response.status === 503) {
      counts.refused++;
      await wait(1000 * Number(response.headers.get('retry-after')));
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
  findings.report(`${clients} clients`, {
    served: served.length,
    p50: quantile(served, 0.5),
    p99: quantile(served, 0.99),
    'in server p50': quantile(inServer, 0.5),
    'in server p99': quantile(inServer, 0.99),
    ...counts,
    'health p50': quantile(health, 0.5),
    'health p99': healthP99,
  });
  findings.expect(counts.failed === 0, `${clients} clients: ${counts.failed} requests failed`);
  findings.expect(served.length > 0, `${clients} clients: none was served`);
  if (!all) return;
  const { refused, 'lexical-only': lexical } = counts;
  findings.expect(refused + lexical === 0, `${clients} clients: ${refused} refused, ${lexical} lexical-only`);
  findings.expect(healthP99 <= maxHealthMs, `${clients} clients: health took ${healthP99} ms`);
}
