import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Embedder } from '../src/embedders/embedder.ts';
import { openOnnxEmbedder } from '../src/embedders/onnx/onnx-embedder.ts';
import { type NotMeasured, type Responsiveness, timingOf } from './figures.ts';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const STARTS = 10;
const TICK_MS = 5;
const QUERIES = 9;
const TEXTS = Array.from({ length: 200 }, (_, i) => `Tool ${i} reads the weather of a city and sends it by mail.`);

/** Measured in this process, with the local model. */
export async function measureResponsiveness(): Promise<Responsiveness | NotMeasured> {
  const embedder = openOnnxEmbedder();
  try {
    await embedder.warm?.();
    const pauseShare = await longestPause(embedder);
    return { status: 'measured', helpTimes: helpTimes(), pauseShare, queryShare: await queryWait(embedder) };
  } catch (error) {
    return { status: 'failed', reason: error instanceof Error ? error.message : String(error) };
  } finally {
    await embedder.close();
  }
}

/** The best of several pairs: a busy machine makes runs slower, never faster. */
function helpTimes(): number {
  const bare: number[] = [];
  const help: number[] = [];
  for (let start = 0; start < STARTS; start++) {
    bare.push(startMs(['-e', '0']));
    help.push(startMs([MAIN, '--help']));
  }
  return Math.min(...help) / Math.min(...bare);
}

function startMs(args: readonly string[]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const took = performance.now() - start;
  if (status !== 0) throw new Error(`node ${args.join(' ')} failed: ${stderr}`);
  return took;
}

async function longestPause(embedder: Embedder): Promise<number> {
  let longest = 0;
  const start = performance.now();
  let last = start;
  const tick = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(tick, TICK_MS);
  await embedder.embed(TEXTS, { as: 'document' });
  clearInterval(timer);
  tick();
  return longest / (last - start);
}

async function queryWait(embedder: Embedder): Promise<number> {
  const start = performance.now();
  const documents = embedder.embed(TEXTS, { as: 'document' }).then(() => performance.now() - start);
  const waits: number[] = [];
  for (let query = 0; query < QUERIES; query++) {
    const asked = performance.now();
    await embedder.embed([`how is the weather on day ${query}?`], { as: 'query' });
    waits.push(performance.now() - asked);
  }
  return timingOf(waits).p50 / (await documents);
}
