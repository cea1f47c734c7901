import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemories, type MemoryService } from '../src/memories/create-memories.ts';
import { openRegistry } from '../src/open.ts';
import type { LocalRegistry } from '../src/registry/contract/registry.ts';
import { wordVectors } from './corpus/word-vectors.ts';

/**
 * Memories at scale, beside as many tools with the same texts: how long a search takes, and how long it takes to store one
 * memory. Both are asked in turns in one process, so that a busy machine slows both. Then a store of 100 memories (MS-11).
 *
 *   npx tsx bench/memories.ts [count]
 */
const COUNT = Number(process.argv[2] ?? 100_000);
const BATCH = 1000;
const QUESTIONS = 400;
/** Until V8 has compiled what runs at every search. */
const WARM_UP = 1000;
const STORED = 50;
const SMALL = 100;
const SMALL_QUESTIONS = 20;
/** The budgets. */
const MAX_TIMES = 1.2;
const MAX_SMALL_MS = 50;

const WORDS = 'mail flight calendar invoice weather map queue table photo song report ticket order parcel note'.split(
  ' ',
);
const word = (n: number) => WORDS[n % WORDS.length]!;
const textAt = (n: number) => `${word(n)} and ${word(n >> 4)} for ${word(n >> 8)} in room ${n % 997} of case ${n}`;
const questionAt = (n: number) => `which ${word(n * 7)} for ${word(n * 3)} is in room ${(n * 31) % 997}`;

async function opened(dir: string): Promise<LocalRegistry> {
  const embedder = wordVectors();
  const state = () => ({ id: embedder.id, state: 'ready' as const });
  return openRegistry(
    { data_dir: dir },
    { embedder: { embedder, state, warm: async () => undefined }, background: false },
  );
}

async function fillTools(registry: LocalRegistry): Promise<void> {
  for (let from = 0; from < COUNT; from += BATCH) {
    const tools = Array.from({ length: Math.min(BATCH, COUNT - from) }, (_, i) => {
      const n = from + i;
      return { type: 'tool', path: `/tool-${n}`, name: `${word(n)}_${n}`, description: textAt(n) };
    });
    await registry.putMany(tools, { vectors: 'later' });
  }
  await registry.embedPending();
}

async function fillMemories(registry: LocalRegistry, memories: MemoryService, count: number): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const size = Math.min(BATCH, count - from);
    await memories.storeMany(Array.from({ length: size }, (_, i) => ({ content: textAt(from + i) })));
  }
  await registry.embedPending();
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const timed = async (work: () => Promise<unknown>) => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};
const said = (line: string) => process.stdout.write(`${line}\n`);

const folders = await Promise.all(
  ['tools', 'memories', 'few'].map((name) => mkdtemp(join(tmpdir(), `dowser-${name}-`))),
);
try {
  const [tools, store, few] = (await Promise.all(folders.map(opened))) as [LocalRegistry, LocalRegistry, LocalRegistry];
  const memories = createMemories(store);
  await fillTools(tools);
  await fillMemories(store, memories, COUNT);
  const took = { tools: [] as number[], memories: [] as number[] };
  for (let n = 0; n < WARM_UP + QUESTIONS; n++) {
    const query = questionAt(n);
    const ofTools = await timed(() => tools.search({ query, entity_types: ['tool'], max_results: 10 }));
    const ofMemories = await timed(() => memories.search({ query, limit: 10 }));
    if (n < WARM_UP) continue;
    took.tools.push(ofTools);
    took.memories.push(ofMemories);
  }
  const stored: number[] = [];
  for (let n = 0; n < STORED; n++) {
    stored.push(await timed(() => memories.store({ content: `${textAt(COUNT + n)}, as said today` })));
  }
  const times = median(took.memories) / median(took.tools);
  said(`${COUNT} tools, search p50: ${median(took.tools).toFixed(2)} ms`);
  said(`${COUNT} memories, search p50: ${median(took.memories).toFixed(2)} ms`);
  said(`memories take ${times.toFixed(2)} times as long (budget ${MAX_TIMES})`);
  said(`storing one memory, p50: ${median(stored).toFixed(2)} ms`);

  const small = createMemories(few);
  await fillMemories(few, small, SMALL);
  const total = await timed(async () => {
    for (let n = 0; n < SMALL_QUESTIONS; n++) await small.search({ query: questionAt(n) });
  });
  const mean = total / SMALL_QUESTIONS;
  said(
    `MS-11: ${SMALL} memories, mean of ${SMALL_QUESTIONS} searches: ${mean.toFixed(2)} ms (budget ${MAX_SMALL_MS} ms)`,
  );
  for (const one of [memories, small]) await one.flush();
  for (const registry of [tools, store, few]) await registry.close();
  process.exitCode = times <= MAX_TIMES && mean < MAX_SMALL_MS ? 0 : 1;
} finally {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
}
