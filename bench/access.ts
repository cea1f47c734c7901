import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Caller, callerOf } from '../src/model/caller/caller.ts';
import { openRegistry } from '../src/open.ts';
import type { LocalRegistry } from '../src/registry/contract/registry.ts';
import { Random } from './corpus/random.ts';
import { wordVectors } from './corpus/word-vectors.ts';

/**
 * What access costs a search. The same questions are asked in turns by callers who see all, most and some of the units of one
 * registry, so that a busy machine slows all of them. The ratio is one of processor time: on a busy machine, elapsed time is
 * mostly that of others.
 *
 *   npx tsx bench/access.ts [units]
 */
const UNITS = Number(process.argv[2] ?? 100_000);
const BATCH = 1000;
const QUESTIONS = 400;
/** Until V8 has compiled what runs at every search, and the statistics of each view are there. */
const WARM_UP = 400;

const VOCABULARY = 8000;
const DESCRIPTION_WORDS = 12;
const QUESTION_WORDS = 4;

/** Some words are in most texts, most are in few. */
function wordsOf(seed: number, count: number): readonly string[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => `term${Math.floor(VOCABULARY * random.unit() ** 3)}`);
}
const toolAt = (n: number) => ({
  type: 'tool',
  path: `/tool-${n}`,
  name: wordsOf(3 * n, 2).join('_'),
  description: wordsOf(3 * n + 1, DESCRIPTION_WORDS).join(' '),
  ...(n % 10 === 0 ? {} : { visibility: 'group-restricted', allowed_groups: [n % 10 === 1 ? 'few' : 'staff'] }),
});
const questionAt = (n: number) => wordsOf(3 * n + 2, QUESTION_WORDS).join(' ');

interface Asked {
  readonly who: string;
  readonly caller: Caller | null;
  readonly reads: string;
  /** How many times as long as without access. */
  readonly maxTimes: number;
}

const member = (groups: readonly string[]) => callerOf({ name: 'ada', groups, scopes: ['read'] });
const CALLERS: readonly Asked[] = [
  { who: 'access off', caller: null, reads: 'all', maxTimes: 1 },
  { who: 'admin', caller: callerOf({ name: 'root', groups: [], scopes: ['admin'] }), reads: 'all', maxTimes: 1.1 },
  { who: 'member of all groups', caller: member(['few', 'staff']), reads: 'all', maxTimes: 1.1 },
  { who: 'member of one group', caller: member(['staff']), reads: '90 %', maxTimes: 2 },
  { who: 'stranger', caller: { readers: ['public'] }, reads: '10 %', maxTimes: 2 },
];

async function fill(registry: LocalRegistry): Promise<void> {
  for (let from = 0; from < UNITS; from += BATCH) {
    const tools = Array.from({ length: Math.min(BATCH, UNITS - from) }, (_, i) => toolAt(from + i));
    await registry.putMany(tools, { vectors: 'later' });
  }
  await registry.embedPending();
}

const quantile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;

async function measure(registry: LocalRegistry): Promise<boolean> {
  const asked = CALLERS.map((one) => ({
    ...one,
    registry: one.caller === null ? registry : registry.as(one.caller),
    took: [] as number[],
    cpu: [] as number[],
  }));
  for (let n = 0; n < WARM_UP + QUESTIONS; n++) {
    // Each is the first as often as any other.
    for (let at = 0; at < asked.length; at++) {
      const one = asked[(at + n) % asked.length]!;
      const start = performance.now();
      const before = process.cpuUsage();
      await one.registry.search({ query: questionAt(n), max_results: 10 });
      const { user, system } = process.cpuUsage(before);
      if (n < WARM_UP) continue;
      one.took.push(performance.now() - start);
      one.cpu.push((user + system) / 1000);
    }
  }
  const off = quantile(asked[0]!.cpu, 0.5);
  let isWithin = true;
  process.stdout.write(
    '| caller | reads | elapsed p50 ms | CPU p50 ms | times | budget |\n|---|--:|--:|--:|--:|--:|\n',
  );
  for (const { who, reads, took, cpu, maxTimes } of asked) {
    const times = quantile(cpu, 0.5) / off;
    isWithin &&= times <= maxTimes;
    const figures = [quantile(took, 0.5), quantile(cpu, 0.5), times].map((value) => value.toFixed(2));
    process.stdout.write(`| ${[who, reads, ...figures, maxTimes].join(' | ')} |\n`);
  }
  return isWithin;
}

const folder = await mkdtemp(join(tmpdir(), 'dowser-access-'));
try {
  const embedder = wordVectors();
  const state = () => ({ id: embedder.id, state: 'ready' as const });
  const registry = await openRegistry(
    { data_dir: folder },
    { embedder: { embedder, state, warm: async () => undefined }, background: false },
  );
  await fill(registry);
  process.exitCode = (await measure(registry)) ? 0 : 1;
  await registry.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}
