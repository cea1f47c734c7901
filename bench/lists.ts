import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/**
 * What a list, a read and a search cost a server, beside another build of Dowser (Linux only):
 *
 *   npx tsx bench/lists.ts --other ../older/dist [--entities 10000] [--model] [--blocks 12] [--only TEXT]
 *
 * Both servers run at once with the entities of the example catalog, or with as many others as `--entities` says. They get
 * blocks of the same requests in turn. Processor time is compared, so that a busy machine changes little. `--model` searches
 * by meaning too.
 */
const WARMUPS = 3000;
const BLOCK = 200;
const OWN = fileURLToPath(new URL('../dist', import.meta.url));
const CATALOG = fileURLToPath(new URL('../examples/catalog', import.meta.url));
const WORDS = 'boat hill lamp river bread cloud stone field glass paper green quiet early narrow'.split(' ');
const QUESTIONS = [
  ...['read a web page', 'send an email', 'query a postgres database', 'create an issue on github', 'weather forecast'],
  ...['book a flight', 'search the documentation of a library', 'draw a diagram', 'transcribe audio', 'pdf to text'],
];

interface Sample {
  readonly type: string;
  readonly path: string;
}
type Ask = readonly [method: string, path: string, body?: object];
type Requests = readonly (readonly [name: string, ask: (n: number) => Ask])[];

interface Served {
  readonly url: URL;
  readonly child: ChildProcess;
  readonly agent: Agent;
}

const wordAt = (n: number): string => WORDS[(n * 2_654_435_761) % WORDS.length]!;

function madeEntity(n: number): Sample {
  const text = Array.from({ length: 12 }, (_, k) => wordAt(n + k * 977)).join(' ');
  const [type, path] =
    n % 10 === 0
      ? ['a2a_agent', `/agent-${n}`]
      : n % 10 === 1
        ? ['skill', `/skills/skill-${n}`]
        : ['mcp_server', `/server-${n}`];
  const tools = type === 'mcp_server' ? { tools: [{ name: `${wordAt(n)}_tool`, description: text.slice(0, 40) }] } : {};
  const address = type === 'a2a_agent' ? { url: `https://agents.example.com/${n}` } : {};
  const name = path.slice(1).replace('skills/', '');
  return { type, path, ...{ name, description: text, tags: [wordAt(n + 5)] }, ...tools, ...address };
}

function catalogEntities(): readonly Sample[] {
  const files = readdirSync(CATALOG).filter((file) => file.endsWith('.jsonl'));
  const lines = files.flatMap((file) => readFileSync(join(CATALOG, file), 'utf8').trim().split('\n'));
  return lines.map((line) => JSON.parse(line) as Sample);
}

function requestsFor(entities: readonly Sample[]): Requests {
  const servers = entities.filter(({ type }) => type === 'mcp_server').map(({ path }) => path);
  const query = (n: number) => `${QUESTIONS[n % QUESTIONS.length]!} ${wordAt(n % 5)}`;
  return [
    ['list servers', () => ['GET', '/api/servers']],
    ['list servers, a page of 100', () => ['GET', '/api/servers?limit=100']],
    ['list servers, a later page', (n) => ['GET', `/api/servers?limit=20&offset=${(n * 37) % (servers.length - 20)}`]],
    ['list servers with a word', (n) => ['GET', `/api/servers?query=${wordAt(n)}`]],
    ['list agents', () => ['GET', '/api/agents?limit=100']],
    ['list skills', () => ['GET', '/api/skills?limit=100']],
    ['list entities', () => ['GET', '/api/entities?type=mcp_server&limit=100']],
    ['one server', (n) => ['GET', `/api/servers${servers[n % servers.length]}`]],
    ['search', (n) => ['POST', '/api/search/semantic', { query: query(n), max_results: 10 }]],
  ];
}

async function serve(dist: string, data: string, file: string, env: NodeJS.ProcessEnv): Promise<Served> {
  const main = join(dist, 'cli/main.js');
  const imported = spawnSync(process.execPath, [main, 'import', file, '--data', data], { env, encoding: 'utf8' });
  if (imported.status !== 0) throw new Error(`${dist} cannot import: ${imported.stderr}`);
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', '--data', data], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let isListening = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      if (!isListening) output += chunk;
    });
  }
  while (!/"msg":"listening"/.test(output)) {
    if (child.exitCode !== null) throw new Error(`${dist} does not start: ${output}`);
    await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), once(child, 'exit')]);
  }
  isListening = true;
  const url = new URL(/"url":"([^"]+)"/.exec(output)![1]!);
  return { url, child, agent: new Agent({ keepAlive: true, maxSockets: 1 }) };
}

function send({ url, agent }: Served, [method, path, body]: Ask): Promise<void> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const headers = sent === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': sent.length };
  return new Promise((done, failed) => {
    const asked = request(new URL(path, url), { method, agent, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => {
        if (answer.statusCode === 200) done();
        else failed(new Error(`${method} ${path} answers ${answer.statusCode}.`));
      });
    });
    asked.on('error', failed);
    asked.end(sent);
  });
}

/** Processor time of all threads of a process, in milliseconds. */
function cpuMs({ child }: Served): number {
  const folder = `/proc/${child.pid}/task`;
  const threads = readdirSync(folder).map((thread) => readFileSync(join(folder, thread, 'schedstat'), 'utf8'));
  return threads.reduce((sum, thread) => sum + Number(thread.split(' ')[0]) / 1e6, 0);
}

async function costOf(served: Served, count: number, ask: (n: number) => Ask): Promise<number> {
  const before = cpuMs(served);
  for (let n = 0; n < count; n++) await send(served, ask(n));
  return (cpuMs(served) - before) / count;
}

const { values } = parseArgs({
  options: {
    other: { type: 'string' },
    entities: { type: 'string' },
    blocks: { type: 'string', default: '12' },
    only: { type: 'string', default: '' },
    model: { type: 'boolean', default: false },
  },
});
if (values.other === undefined) throw new Error('Name another build: --other DIR (its dist folder).');
const folder = mkdtempSync(join(tmpdir(), 'dowser-lists-'));
const servers: Served[] = [];
try {
  const count = values.entities === undefined ? undefined : Number(values.entities);
  const entities = count === undefined ? catalogEntities() : Array.from({ length: count }, (_, n) => madeEntity(n));
  const file = join(folder, 'entities.jsonl');
  writeFileSync(file, entities.map((entity) => JSON.stringify(entity)).join('\n'));
  const env = { ...process.env, ...(values.model ? {} : { EMBEDDINGS_PROVIDER: 'off' }) };
  for (const [at, dist] of [OWN, resolve(values.other)].entries())
    servers.push(await serve(dist, join(folder, `data-${at}`), file, env));
  const asked = requestsFor(entities).filter(([name]) => name.includes(values.only));
  for (const [, ask] of asked) for (const served of servers) await costOf(served, WARMUPS, ask);
  console.log(`| Request, ${entities.length} entities | this build, CPU ms | other build, CPU ms | ratio |`);
  console.log('|---|---|---|---|');
  for (const [name, ask] of asked) {
    const sums: [number, number] = [0, 0];
    for (const served of servers) await costOf(served, BLOCK, ask);
    for (let block = 0; block < Number(values.blocks); block++) {
      // The order changes, so that neither is always the second.
      const order = block % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
      for (const at of order) sums[at] += await costOf(servers[at]!, BLOCK, ask);
    }
    const [own, old] = sums.map((sum) => sum / Number(values.blocks)) as [number, number];
    console.log(`| ${name} | ${own.toFixed(3)} | ${old.toFixed(3)} | ${(own / old).toFixed(2)} |`);
  }
} finally {
  for (const { child, agent } of servers) {
    child.kill();
    agent.destroy();
  }
  rmSync(folder, { recursive: true, force: true });
}
