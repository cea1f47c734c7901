import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * How fast lists and searches over HTTP are, beside another build of Dowser:
 *
 *   npx tsx bench/lists.ts --other ../older/dist
 *
 * Both servers run at once, and each request is sent to one and then the other, so that a busy machine slows down both.
 */
const COUNT = 10_000;
const ROUNDS = 200;
const OWN = fileURLToPath(new URL('../dist', import.meta.url));
const WORDS = 'boat hill lamp river bread cloud stone field glass paper green quiet early narrow'.split(' ');

interface Served {
  readonly url: string;
  readonly child: ChildProcess;
}

const wordAt = (n: number): string => WORDS[(n * 2_654_435_761) % WORDS.length]!;

function entityAt(n: number): object {
  const text = Array.from({ length: 12 }, (_, k) => wordAt(n + k * 977)).join(' ');
  const [type, path] =
    n % 10 === 0
      ? ['a2a_agent', `/agent-${n}`]
      : n % 10 === 1
        ? ['skill', `/skills/skill-${n}`]
        : ['mcp_server', `/server-${n}`];
  const tools = type === 'mcp_server' ? { tools: [{ name: `${wordAt(n)}_tool`, description: text.slice(0, 40) }] } : {};
  const address = type === 'a2a_agent' ? { url: `https://agents.example.com/${n}` } : {};
  return {
    type,
    path,
    name: path.slice(1).replace('skills/', ''),
    description: text,
    tags: [wordAt(n + 5)],
    ...tools,
    ...address,
  };
}

async function serve(dist: string, data: string, file: string): Promise<Served> {
  const main = join(dist, 'cli/main.js');
  const env = { ...process.env, EMBEDDINGS_PROVIDER: 'off' };
  const imported = spawnSync(process.execPath, [main, 'import', file, '--data', data], { env, encoding: 'utf8' });
  if (imported.status !== 0) throw new Error(`${dist} cannot import: ${imported.stderr}`);
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', '--data', data], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  while (!/"msg":"listening"/.test(output)) {
    if (child.exitCode !== null) throw new Error(`${dist} does not start: ${output}`);
    await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), once(child, 'exit')]);
  }
  return { url: /"url":"([^"]+)"/.exec(output)![1]!, child };
}

const REQUESTS: readonly (readonly [name: string, path: (n: number) => string, body?: (n: number) => object])[] = [
  ['list servers', () => '/api/servers'],
  ['list servers, a later page', (n) => `/api/servers?limit=100&offset=${(n * 37) % 7000}`],
  ['list servers with a word', (n) => `/api/servers?query=${wordAt(n)}`],
  ['list agents', () => '/api/agents?limit=100'],
  ['list skills', () => '/api/skills?limit=100'],
  ['list entities', () => '/api/entities?type=mcp_server&limit=100'],
  ['one server', (n) => `/api/servers/server-${10 * (n % 1000) + 2}`],
  ['search', () => '/api/search/semantic', (n) => ({ query: `${wordAt(n)} ${wordAt(n * 3 + 1)}`, max_results: 10 })],
];

async function timed(url: string, body: object | undefined): Promise<number> {
  const init =
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const start = performance.now();
  const answer = await fetch(url, init);
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}.`);
  return performance.now() - start;
}

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1]!;

const flag = process.argv.indexOf('--other');
const other = flag < 0 ? undefined : process.argv[flag + 1];
if (other === undefined) throw new Error('Name another build: --other DIR (its dist folder).');
const folder = mkdtempSync(join(tmpdir(), 'dowser-lists-'));
const servers: Served[] = [];
try {
  const file = join(folder, 'entities.jsonl');
  writeFileSync(file, Array.from({ length: COUNT }, (_, n) => JSON.stringify(entityAt(n))).join('\n'));
  for (const [at, dist] of [OWN, resolve(other)].entries())
    servers.push(await serve(dist, join(folder, `data-${at}`), file));
  console.log(`| Request, ${COUNT} entities | this build, p50 ms | other build, p50 ms | ratio |\n|---|---|---|---|`);
  for (const [name, path, body] of REQUESTS) {
    const times: [number[], number[]] = [[], []];
    for (let round = -20; round < ROUNDS; round++) {
      // The order changes, so that neither is always the second.
      for (const at of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const took = await timed(servers[at]!.url + path(Math.abs(round)), body?.(Math.abs(round)));
        if (round >= 0) times[at].push(took);
      }
    }
    const [own, old] = [median(times[0]), median(times[1])];
    console.log(`| ${name} | ${own.toFixed(2)} | ${old.toFixed(2)} | ${(own / old).toFixed(2)} |`);
  }
} finally {
  for (const { child } of servers) child.kill();
  rmSync(folder, { recursive: true, force: true });
}
