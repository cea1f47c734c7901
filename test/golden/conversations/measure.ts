import { mean, ndcg } from '../../../src/eval/metrics.ts';
import type { StoreMemory, StoreSession } from '../../../src/memories/contract/memory-requests.ts';
import { createMemories, type MemoryService } from '../../../src/memories/create-memories.ts';
import { type GoldenRegistry, goldenRegistry } from '../../support/golden-registry.ts';
import {
  CLASSES,
  memoriesOf,
  QUESTIONS,
  type Question,
  type QuestionClass,
  relevanceOf,
  type Shape,
} from './conversations.ts';

/** The memories of one shape, stored and embedded. */
export interface Conversations {
  readonly shape: Shape;
  readonly memories: MemoryService;
  readonly golden: GoldenRegistry;
  /** The statements in a memory, by its hash. */
  readonly holds: ReadonlyMap<string, readonly string[]>;
}

const NOW = new Date('2026-11-17T10:00:00Z');

export async function openConversations(shape: Shape): Promise<Conversations> {
  const golden = await goldenRegistry([]);
  const memories = createMemories(golden.registry, { now: () => NOW });
  const holds = new Map<string, readonly string[]>();
  let before: string | null = null;
  for (const { holds: said, memory } of memoriesOf(shape)) {
    const isChange = shape === 'facts' && said[0]!.endsWith(' after');
    const stored: { readonly content_hash: string } =
      'turns' in memory
        ? await memories.storeSession(memory as StoreSession)
        : await memories.store({ ...(memory as StoreMemory), ...(isChange ? { supersedes: before! } : {}) });
    before = stored.content_hash;
    holds.set(stored.content_hash, said);
  }
  await golden.registry.embedPending();
  return { shape, memories, golden, holds };
}

export interface Figures {
  readonly all: number;
  readonly byClass: Readonly<Partial<Record<QuestionClass, number>>>;
}

/** nDCG@10 of a ranking. Negative questions have no right answer and are left out. */
export async function measure({ shape, memories, holds }: Conversations, preset: string): Promise<Figures> {
  const scores = new Map<QuestionClass, number[]>();
  for (const question of QUESTIONS) {
    if (question.class === 'negative') continue;
    const { topic: _topic, class: kind, query, ...times } = question;
    // A fact that was true then is history now.
    const asked = shape === 'facts' && kind === 'time' ? { as_of: times.before! } : times;
    const found = await memories.search({ query, ...asked, limit: 10, preset });
    const judged = [...holds].filter(([, said]) => relevanceOf(question, said) > 0 && isShown(shape, question, said));
    const relevant = new Map(judged.map(([hash, said]) => [hash, relevanceOf(question, said)]));
    const ranked = found.memories.map(({ content_hash }) => content_hash);
    scores.set(kind, [...(scores.get(kind) ?? []), ndcg(ranked, relevant)]);
  }
  const byClass = Object.fromEntries(
    CLASSES.flatMap((kind) => (scores.has(kind) ? [[kind, mean(scores.get(kind)!)]] : [])),
  );
  return { all: mean([...scores.values()].flat()), byClass };
}

/** Of facts, only those that a search may show: what is superseded is not, but for the time class. */
function isShown(shape: Shape, question: Question, said: readonly string[]): boolean {
  if (shape !== 'facts') return true;
  return question.class === 'time' ? said[0]!.endsWith(' before') : said[0]!.endsWith(' after');
}

/** The best confidence of each question, by whether the conversations answer it. */
export async function bestConfidences({ memories }: Conversations): Promise<Record<'answered' | 'negative', number[]>> {
  const best: Record<'answered' | 'negative', number[]> = { answered: [], negative: [] };
  for (const { class: kind, query } of QUESTIONS) {
    if (kind === 'time') continue;
    const { memories: found } = await memories.search({ query, limit: 10 });
    best[kind === 'negative' ? 'negative' : 'answered'].push(Math.max(0, ...found.map(({ confidence }) => confidence)));
  }
  return best;
}
