import type { Explanation } from '../../model/answer/explanation.ts';
import type { SearchResult } from '../../model/answer/result.ts';
import { turnLine } from '../../model/entity-types/memory.ts';
import { certaintyAt } from '../../model/query/certainty.ts';
import type { EntityRecord } from '../../registry/contract/registry.ts';
import type { FoundMemory } from '../contract/memory-answers.ts';
import { type MemoryEntity, toMemory } from '../contract/to-memory.ts';
import type { Asked } from './filter-rows.ts';

/** A memory as a hit. `result` is null for a search by text or a list. */
export function toFound(record: EntityRecord, result: SearchResult | null, score: number, asked: Asked): FoundMemory {
  const cosine = result?.similarity_score ?? null;
  const memory = toMemory(record);
  return {
    ...memory,
    certainty_now: certaintyAt(memory.certainty, memory.created_at * 1000, asked.at, asked.certaintyDays),
    score,
    similarity_score: cosine === null ? null : (1 + cosine) / 2,
    confidence: result?.confidence ?? 1,
    match: result === null ? null : matchOf(record.entity as MemoryEntity, result),
  };
}

/** The part that was found: a turn with its neighbors, or a chunk of a long text. Null where it is the whole memory. */
function matchOf({ turns, content }: MemoryEntity, result: SearchResult): FoundMemory['match'] {
  const [, number] = /^turn:(\d+)/.exec(result.matched_unit.key) ?? [];
  if (number === undefined) {
    const text = result.match_context;
    return text === null || text === content ? null : { text, turn: null, before: null, after: null };
  }
  const at = Number(number);
  const lineAt = (place: number) => (turns[place] === undefined ? null : turnLine(turns[place]));
  return { text: lineAt(at) ?? '', turn: at + 1, before: lineAt(at - 1), after: lineAt(at + 1) };
}

/** The scores of both legs, under the names that clients of the memory service know. */
export function debugInfo({ explanation, similarity_score }: SearchResult, preset: string): Record<string, unknown> {
  const keyword = nodeOf(explanation, 'keyword') ?? nodeOf(explanation, 'all candidates are equal');
  const semantic = nodeOf(explanation, 'vector');
  const semantic_score = similarity_score === null ? 0 : (1 + similarity_score) / 2;
  if (preset === 'memory-rrf') {
    const consensus = nodeOf(explanation, 'in both lists') !== undefined;
    const rrf_score = explanation?.value ?? 0;
    return {
      rrf_score,
      in_keyword: keyword !== undefined,
      in_semantic: semantic !== undefined,
      consensus,
      backend: 'hybrid-rrf',
    };
  }
  return { keyword_score: keywordScore(keyword), semantic_score, backend: 'hybrid-bm25-vector' };
}

/** As a share of the highest possible score; in a weighted sum, what the weight is multiplied with. */
function keywordScore(node: Explanation | undefined): number {
  if (node === undefined) return 0;
  const { share, weight } = node.detail ?? {};
  if (typeof share === 'number') return share;
  return typeof weight === 'number' && weight > 0 ? node.value / weight : 0;
}

function nodeOf(node: Explanation | undefined, label: string): Explanation | undefined {
  if (node === undefined || node.label === label) return node;
  for (const part of node.parts ?? []) {
    const found = nodeOf(part, label);
    if (found !== undefined) return found;
  }
  return undefined;
}
