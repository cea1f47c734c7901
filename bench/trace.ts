import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * How many functions and files of Dowser one request runs, by V8's precise coverage:
 *
 *   npm run build && npx tsx bench/trace.ts [--list]
 *
 * The server of `dist` serves the example catalog in this process. Each request is asked before, so that caches are filled, and
 * then counted once. `--list` prints the files by folder.
 */
const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const importBuilt = <T>(path: string): Promise<T> => import(new URL(`../dist/${path}`, import.meta.url).href);
const WARMUPS = 20;
const CLOCK = { name: 'Clock', description: 'Tells the time.', tools: [{ name: 'now', description: 'The time now.' }] };

const { openRegistry } = await importBuilt<typeof import('../src/index.ts')>('index.js');
const { parseSettings } = await importBuilt<typeof import('../src/config.ts')>('config.js');
const { loadExamples } = await importBuilt<typeof import('../src/cli/context/examples.ts')>('cli/context/examples.js');
const { startServer } = await importBuilt<typeof import('../src/http/server.ts')>('http/server.js');

const data_dir = mkdtempSync(join(tmpdir(), 'dowser-trace-'));
const given = { data_dir, port: 0, tool_discovery: false } as const;
const registry = await openRegistry(given);
await loadExamples(registry);
await registry.embedPending();
const server = await startServer({
  registry,
  version: '0',
  logger: { info() {}, warn() {}, error() {} },
  settings: parseSettings(given),
});

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

async function ask(method: string, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${server.url}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

/** Functions that ran, by file. */
async function tracedFiles(run: () => Promise<void>): Promise<ReadonlyMap<string, number>> {
  for (let n = 0; n < WARMUPS; n++) await run();
  await session.post('Profiler.takePreciseCoverage');
  await run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files = new Map<string, number>();
  for (const { url, functions } of result) {
    if (!url.startsWith('file://')) continue;
    const file = relative(DIST, fileURLToPath(url));
    if (file.startsWith('..')) continue;
    const ran = functions.filter(({ functionName, ranges }) => functionName !== '' && ranges[0]!.count > 0).length;
    if (ran > 0) files.set(file, ran);
  }
  return files;
}

const search = () => ask('POST', '/api/search/semantic', { query: 'create a github issue', max_results: 10 });
const put = () => ask('PUT', '/api/entities/mcp_server//clock', CLOCK);
for (const [name, run] of [
  ['POST /api/search/semantic', search],
  ['PUT /api/entities/mcp_server//clock', put],
] as const) {
  const files = await tracedFiles(run);
  const functions = [...files.values()].reduce((sum, count) => sum + count, 0);
  console.log(`${name}: ${functions} functions in ${files.size} files`);
  if (!process.argv.includes('--list')) continue;
  for (const [file, count] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) console.log(`  ${file} ${count}`);
}
await server.close();
rmSync(data_dir, { recursive: true });
