import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Timing } from '../figures.ts';
import { exportedStart } from './exported-start.ts';
import { type AddRun, addInterrupted } from './interrupted-add.ts';
import { writeMarkdownFolder } from './markdown-folder.ts';
import { searchDuringScan } from './search-during-scan.ts';

/**
 * A large folder of Markdown, with the command and the server as they are shipped (`npm run build` first):
 *
 *   add     it is added, interrupted with Ctrl-C and with kill -9, and added again until it is complete
 *   search  searches of a server while three such folders are sent to it, and with no scan
 *   export  how long an exported collection takes to start
 *
 *   npx tsx bench/documents/main.ts [megabytes] [add|search|export ...]
 *
 * Vectors come from an endpoint on this machine that counts letters: a real model would take most of the time. Linux only.
 */
const [size = '100', ...parts] = process.argv.slice(2);
const MEGABYTES = Number(size);
const DIMENSIONS = 384;
/** The collection that is searched, in megabytes. */
const SMALL = 5;
/** Scans during searches: one of 10 MB has too few searches for a percentile. */
const SCANS = 3;
/** The budget: how many times as long a search may take during a scan, at the 95th percentile. */
const MAX_TIMES = 2;
const MAX_START_MS = 2000;

const said = (line: string) => process.stdout.write(`${line}\n`);
const isWanted = (part: string) => parts.length === 0 || parts.includes(part);

async function startEndpoint() {
  const file = fileURLToPath(new URL('embedding-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', file, String(DIMENSIONS)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const [base] = (await once(child.stdout!.setEncoding('utf8'), 'data')) as [string];
  return {
    env: {
      EMBEDDINGS_PROVIDER: 'openai',
      EMBEDDINGS_API_BASE: base.trim(),
      EMBEDDINGS_MODEL_NAME: 'letters',
      EMBEDDINGS_DIMENSIONS: String(DIMENSIONS),
    },
    close: () => child.disconnect(),
  };
}

function sayRun({ how, seconds, memoryMb, readerMb, opened, openedAgain, stored }: AddRun): void {
  const memory = `peak ${memoryMb.toFixed(0)} MB, reading process ${readerMb.toFixed(0)} MB`;
  said(`${how}: ${seconds.toFixed(1)} s, ${memory}; opened ${opened} (${openedAgain} again), stored ${stored}`);
}

const sayTiming = (when: string, { p50, p95, p99, count }: Timing) =>
  said(`${when}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms of ${count} searches`);

const dir = await mkdtemp(join(tmpdir(), 'dowser-documents-'));
const endpoint = await startEndpoint();
const { env } = endpoint;
try {
  const folder = join(dir, 'large');
  const files = await writeMarkdownFolder(folder, MEGABYTES * 1e6, 7);
  said(`${files.length} files, ${MEGABYTES} MB`);
  if (isWanted('add')) await addInterrupted({ folder, files, data: join(dir, 'added'), env }, sayRun);
  const small = join(dir, 'small');
  await writeMarkdownFolder(small, SMALL * 1e6, 8);
  if (isWanted('export')) {
    const ms = await exportedStart(small, dir, env);
    said(`an exported collection of ${SMALL} MB starts in ${ms.toFixed(0)} ms (budget ${MAX_START_MS} ms)`);
    if (ms > MAX_START_MS) process.exitCode = 1;
  }
  if (isWanted('search')) {
    const large = [folder];
    for (let seed = 9; large.length < SCANS; seed++) {
      large.push(join(dir, `large-${seed}`));
      await writeMarkdownFolder(large.at(-1)!, MEGABYTES * 1e6, seed);
    }
    const found = await searchDuringScan({ small, large, data: join(dir, 'served'), env });
    sayTiming('with no scan', found.quiet);
    sayTiming('during the scan', found.during);
    const times = found.during.p95 / found.quiet.p95;
    said(`p95 during the scan: ${times.toFixed(2)} times (budget ${MAX_TIMES}); ${found.failed} searches failed`);
    said(`a scan took ${found.scanSeconds.toFixed(0)} s; the server's peak is ${found.serverMb.toFixed(0)} MB`);
    if (times > MAX_TIMES || found.failed > 0) process.exitCode = 1;
  }
} finally {
  endpoint.close();
  await rm(dir, { recursive: true, force: true });
}
