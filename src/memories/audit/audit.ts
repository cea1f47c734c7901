import { z } from 'zod';
import { contentHash } from '../../registry/write/memory-hash.ts';
import { NEAR_DUPLICATE, wordsOf } from './near-duplicates.ts';
import { secretsIn } from './secret-patterns.ts';
import { similarPairs } from './similar-pairs.ts';

/** A memory of any store, as far as an audit looks at it. */
export interface AuditedMemory {
  /** How its store names it: a content hash, an entity and its observation. */
  readonly name: string;
  readonly content: string;
  /** The group that may read it. Two groups may know the same, and a memory is superseded within its group only. */
  readonly namespace: string | null;
  /** Milliseconds; null if the store does not say. */
  readonly createdAt: number | null;
  readonly isSuperseded: boolean;
  /** When it was first recalled; null for never, undefined if the store does not count. */
  readonly firstRecall: number | null | undefined;
}

const pair = z.object({ a: z.string(), b: z.string(), similarity: z.number() });

export const auditReportSchema = z.object({
  total: z.int().describe('Memories that are kept, superseded ones included.'),
  superseded: z.int().describe('Contradictions that are marked: an old fact with its successor.'),
  exact_duplicates: z.array(z.object({ names: z.array(z.string()), content: z.string() })),
  near_duplicates: z.array(pair).describe('Current memories that say nearly the same.'),
  contradictions: z
    .array(pair.extend({ differs: z.array(z.string()) }))
    .describe('Current memories that differ in a value alone: probably one of them is no longer true.'),
  recall_loops: z.array(pair).describe('`b` repeats `a` and was stored after `a` was recalled.'),
  secrets: z.array(z.object({ name: z.string(), kinds: z.array(z.string()) })),
  never_recalled: z
    .object({ count: z.int(), share: z.number() })
    .nullable()
    .describe('Null for a store that does not count recalls.'),
  plan: z
    .array(
      z.object({
        action: z.enum(['forget', 'supersede', 'review']),
        name: z.string(),
        by: z.string().nullable(),
        why: z.string(),
      }),
    )
    .describe('What to do about it. Nothing is done.'),
});
export type AuditReport = z.output<typeof auditReportSchema>;

/** More of a kind say nothing new. */
const MAX_LISTED = 500;
/** A value is a word or two. */
const MAX_DIFFERENT = 2;

/** Reports on what is in a store. Reads no clock and writes nothing. */
export async function auditMemories(memories: readonly AuditedMemory[]): Promise<AuditReport> {
  const current = memories.filter(({ isSuperseded }) => !isSuperseded);
  const exact = exactDuplicates(current);
  const repeated = new Set(exact.flatMap(({ names }) => names.slice(1)));
  const distinct = current.filter(({ name }) => !repeated.has(name));
  const words = distinct.map(({ content }) => wordsOf(content));
  const similar = await similarPairs(words, NEAR_DUPLICATE);
  const pairs = similar.filter(({ a, b }) => distinct[a]!.namespace === distinct[b]!.namespace).slice(0, MAX_LISTED);
  const named = pairs.map(({ a, b, similarity }) => {
    const [first, second] = inTime(distinct[a]!, distinct[b]!);
    const differs = valuesThatDiffer(words[a]!, words[b]!);
    return { first, second, differs, similarity: Math.round(similarity * 1000) / 1000 };
  });
  const toPair = ({ first, second, similarity }: (typeof named)[number]) => ({
    a: first.name,
    b: second.name,
    similarity,
  });
  const contradictions = named.filter(({ differs }) => differs.length > 0);
  const near = named.filter(({ differs }) => differs.length === 0);
  const loops = near.filter(({ first, second }) => isLoop(first, second));
  const secrets = memories.flatMap(({ name, content }) => {
    const kinds = secretsIn(content);
    return kinds.length === 0 ? [] : [{ name, kinds: [...kinds] }];
  });
  const found = {
    exact_duplicates: exact,
    near_duplicates: near.map(toPair),
    contradictions: contradictions.map((one) => ({ ...toPair(one), differs: one.differs })),
    recall_loops: loops.map(toPair),
    secrets: secrets.slice(0, MAX_LISTED),
  };
  return {
    total: memories.length,
    superseded: memories.length - current.length,
    ...found,
    never_recalled: neverRecalled(current),
    plan: planOf(found),
  };
}

function exactDuplicates(memories: readonly AuditedMemory[]): AuditReport['exact_duplicates'] {
  const byHash = new Map<string, AuditedMemory[]>();
  for (const memory of memories) {
    const key = `${contentHash(memory.content)} ${memory.namespace ?? ''}`;
    const same = byHash.get(key);
    if (same === undefined) byHash.set(key, [memory]);
    else same.push(memory);
  }
  const repeated = [...byHash.values()].filter((same) => same.length > 1);
  return repeated
    .slice(0, MAX_LISTED)
    .map((same) => ({ names: same.map(({ name }) => name), content: same[0]!.content }));
}

const inTime = (a: AuditedMemory, b: AuditedMemory): readonly [AuditedMemory, AuditedMemory] =>
  (a.createdAt ?? 0) <= (b.createdAt ?? 0) ? [a, b] : [b, a];

/** The words of each that the other does not have, where each has one or two of its own. */
export function valuesThatDiffer(a: ReadonlySet<string>, b: ReadonlySet<string>): string[] {
  const own = (x: ReadonlySet<string>, y: ReadonlySet<string>) => [...x].filter((word) => !y.has(word));
  const [left, right] = [own(a, b), own(b, a)];
  const isValue = (words: readonly string[]) => words.length > 0 && words.length <= MAX_DIFFERENT;
  return isValue(left) && isValue(right) ? [...left, ...right] : [];
}

function isLoop({ firstRecall }: AuditedMemory, copy: AuditedMemory): boolean {
  return firstRecall != null && copy.createdAt !== null && firstRecall <= copy.createdAt;
}

function neverRecalled(memories: readonly AuditedMemory[]): AuditReport['never_recalled'] {
  if (memories.some(({ firstRecall }) => firstRecall === undefined)) return null;
  const count = memories.filter(({ firstRecall }) => firstRecall === null).length;
  return { count, share: memories.length === 0 ? 0 : Math.round((count / memories.length) * 1000) / 1000 };
}

type Found = Pick<AuditReport, 'exact_duplicates' | 'near_duplicates' | 'contradictions' | 'recall_loops' | 'secrets'>;

function planOf({
  exact_duplicates,
  near_duplicates,
  contradictions,
  recall_loops,
  secrets,
}: Found): AuditReport['plan'] {
  const loops = new Set(recall_loops.map(({ b }) => b));
  return [
    ...secrets.map(({ name, kinds }) => ({
      action: 'forget' as const,
      name,
      by: null,
      why: `has a secret: ${kinds.join(', ')}`,
    })),
    ...exact_duplicates.flatMap(({ names: [first, ...rest] }) =>
      rest.map((name) => ({ action: 'forget' as const, name, by: first!, why: 'repeats another word for word' })),
    ),
    ...recall_loops.map(({ a, b }) => ({
      action: 'forget' as const,
      name: b,
      by: a,
      why: 'repeats what was recalled',
    })),
    ...contradictions.map(({ a, b, differs }) => ({
      action: 'supersede' as const,
      name: a,
      by: b,
      why: `differs in ${differs.join(', ')}, and is older`,
    })),
    ...near_duplicates
      .filter(({ b }) => !loops.has(b))
      .map(({ a, b }) => ({ action: 'review' as const, name: b, by: a, why: 'says nearly the same' })),
  ];
}
