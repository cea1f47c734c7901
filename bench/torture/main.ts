/**
 * `npm run torture`: hostile and too many requests against a real server. Ends with status 1 if a promise of
 * docs/security.md does not hold. `--seconds n` is the time of each load, `--requests n` the number of damaged requests.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { parseArgs } from 'node:util';
import { watchHealth } from './health-watch.ts';
import { damaged, HOSTILE, type HostileRequest, ORDINARY } from './hostile-requests.ts';
import { type ServedProcess, serveProcess } from './served-process.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    requests: { type: 'string', default: '1000' },
    connections: { type: 'string', default: '500' },
    entities: { type: 'string', default: '1000' },
  },
});
const SECONDS = Number(values.seconds);
/** The longest that a request of another caller may wait for a hostile one. */
const MAX_DELAY_MS = 250;
const problems: string[] = [];
const expectThat = (holds: boolean, what: string) => {
  if (!holds) problems.push(what);
};

const sorted = (times: readonly number[]) => [...times].sort((a, b) => a - b);
const at = (times: readonly number[], share: number) =>
  Math.round(sorted(times)[Math.max(0, Math.ceil(share * times.length) - 1)] ?? 0);

async function post(url: string, { method, path, type, body }: HostileRequest): Promise<number> {
  const response = await fetch(`${url}${path}`, { method, headers: { 'Content-Type': type }, body });
  await response.arrayBuffer();
  return response.status;
}

function report(what: string, facts: Readonly<Record<string, number | string>>): void {
  console.log(
    `${what.padEnd(34)} ${Object.entries(facts)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}`,
  );
}

async function hostile({ url }: ServedProcess): Promise<void> {
  for (const request of HOSTILE) {
    const health = await watchHealth(url);
    const asked = performance.now();
    const status = await post(url, request);
    const ms = Math.round(performance.now() - asked);
    const longest = at(await health.stop(), 1);
    report(request.name, { status, ms, 'health max': longest });
    expectThat(status < 500, `${request.name}: status ${status}`);
    expectThat(longest <= MAX_DELAY_MS, `${request.name}: others waited ${longest} ms`);
  }
}

async function fuzz({ url }: ServedProcess): Promise<void> {
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const health = await watchHealth(url);
  const counts = new Map<number, number>();
  for (let n = 0; n < Number(values.requests); n++) {
    const status = await post(url, damaged(ORDINARY[n % ORDINARY.length]!, random));
    counts.set(status, (counts.get(status) ?? 0) + 1);
    expectThat(status < 500, `damaged request ${n}: status ${status}`);
  }
  report('damaged requests', { ...Object.fromEntries(counts), 'health max': at(await health.stop(), 1) });
}

/** Connections that send half a head, half a body, or noise. */
async function rawConnections({ url, port }: ServedProcess): Promise<void> {
  const health = await watchHealth(url);
  const starts = [
    'GET /api/',
    'POST /api/entities HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n\r\n{',
    '\0\x01\x02',
  ];
  const sockets = await Promise.all(
    Array.from({ length: Number(values.connections) }, async (_, n) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.write(starts[n % starts.length]!);
      return socket;
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const times = await health.stop();
  for (const socket of sockets) socket.destroy();
  report('raw connections', { open: sockets.length, 'health p99': at(times, 0.99) });
}

async function load({ url }: ServedProcess, clients: number): Promise<void> {
  const until = performance.now() + SECONDS * 1000;
  const health = await watchHealth(url);
  const served: number[] = [];
  /** As the server measured it, without the wait for a connection. */
  const inServer: number[] = [];
  let refused = 0;
  let failed = 0;
  let lexical = 0;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let n = 0; performance.now() < until; n++) {
        const asked = performance.now();
        const isWrite = (client + n) % 10 === 0;
        const body = isWrite
          ? { type: 'tool', path: `/t${client}-${n}`, name: `tool ${client} ${n}`, description: 'Sends a letter.' }
          : { query: `send letter number ${client} ${n}` };
        try {
          const response = await fetch(`${url}${isWrite ? '/api/entities:register' : '/api/search/semantic'}`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify(body),
          });
          const answer = (await response.json()) as { search_mode?: string };
          if (response.status === 503) {
            refused++;
            await new Promise((resolve) => setTimeout(resolve, 1000 * Number(response.headers.get('retry-after'))));
          } else if (!response.ok) failed++;
          else {
            served.push(performance.now() - asked);
            inServer.push(Number(/dur=([\d.]+)/.exec(response.headers.get('server-timing') ?? '')?.[1] ?? 0));
            if (answer.search_mode === 'lexical-only') lexical++;
          }
        } catch {
          failed++;
        }
      }
    }),
  );
  const times = await health.stop();
  report(`${clients} clients`, {
    served: served.length,
    p50: at(served, 0.5),
    p99: at(served, 0.99),
    'in server p50': at(inServer, 0.5),
    'in server p99': at(inServer, 0.99),
    refused,
    failed,
    'lexical-only': lexical,
    'health p50': at(times, 0.5),
    'health p99': at(times, 0.99),
  });
  expectThat(failed === 0, `${clients} clients: ${failed} requests failed`);
  expectThat(served.length > 0, `${clients} clients: none was served`);
  if (clients <= 200)
    expectThat(refused + lexical === 0, `${clients} clients: ${refused} refused, ${lexical} lexical-only`);
}

const server = await serveProcess({});
try {
  const entities = Array.from({ length: Number(values.entities) }, (_, n) => ({
    type: 'tool',
    path: `/tool-${n}`,
    name: `tool ${n}`,
    description: `Does thing number ${n} with letters, mail and numbers.`,
  }));
  for (let from = 0; from < entities.length; from += 500) {
    await post(server.url, {
      ...ORDINARY[0]!,
      path: '/api/entities:batch',
      body: JSON.stringify({ entities: entities.slice(from, from + 500) }),
    });
  }
  await hostile(server);
  await fuzz(server);
  await rawConnections(server);
  await load(server, 200);
  await load(server, 1000);
  expectThat(server.child.exitCode === null, 'The server has ended.');
} finally {
  await server.close();
}
for (const problem of problems) console.error(`problem: ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;
