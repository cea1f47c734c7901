import { type EntityId, entityId } from '../../model/entity.ts';
import { type Edge, otherEnd } from '../../model/entity-parts/edge.ts';
import { MAX_RESULTS } from '../../model/query/query.ts';
import type { ViewRow } from '../../registry/contract/registry.ts';
import { valuesThatDiffer } from '../audit/audit.ts';
import { NEAR_DUPLICATE, overlap, wordsOf } from '../audit/near-duplicates.ts';
import type { MemoryGraphAnswer } from '../contract/memory-graph-schemas.ts';
import { toMemory } from '../contract/to-memory.ts';
import { findMemory } from '../find/find-memory.ts';
import type { MemoryParts } from '../parts/memory-parts.ts';

type Inferred = Extract<MemoryGraphAnswer, { action: 'infer' }>['inferred'];
type Suggestions = Extract<MemoryGraphAnswer, { action: 'suggest' }>['suggestions'];

const MAX_INFERRED = 20;
const MAX_SUGGESTED = 10;
/** The start of a long text is enough to find what is like it. */
const MAX_ASKED_CHARS = 1000;
/** Memories whose vectors are less alike are about something else. */
const MIN_COSINE = 0.5;

const CONVERSATION = 'conversation:';

/** What follows from stored facts: memories of the same conversation, nearest in time first, and those that share a rare tag. */
export function inferRelations(
  nodes: ReadonlyMap<EntityId, ViewRow>,
  start: EntityId,
  edges: readonly Edge[],
): Inferred {
  const own = nodes.get(start)?.memory;
  const label = own?.labels.find((one) => one.startsWith(CONVERSATION));
  const hashOf = ({ memory, path }: ViewRow) => memory?.hash ?? path;
  const away = ({ memory }: ViewRow) => Math.abs((memory?.at ?? 0) - (own?.at ?? 0));
  const together = [...nodes.values()]
    .filter(({ id, memory }) => label !== undefined && id !== start && memory?.labels.includes(label) === true)
    .sort((a, b) => away(a) - away(b) || (a.id < b.id ? -1 : 1))
    .map((row) => ({ hash: hashOf(row), why: `the same conversation: ${label?.slice(CONVERSATION.length)}` }));
  const tagged = edges.map((edge) => ({
    hash: hashOf(nodes.get(otherEnd(edge, start))!),
    why: `${edge.provenance === 'tag' ? 'the same tag' : 'mentions'}: ${edge.via ?? ''}`,
  }));
  const found = new Map<string, Inferred[number]>();
  for (const { hash, why } of [...together, ...tagged]) {
    const before = found.get(hash);
    found.set(hash, { hash, relation: 'related_to', why: before === undefined ? why : `${before.why}; ${why}` });
  }
  return [...found.values()].slice(0, MAX_INFERRED);
}

/** Current memories like this one that it has no relation with yet. By both legs; without a model, by words. */
export async function suggestRelations(
  parts: MemoryParts,
  path: string,
  known: ReadonlySet<EntityId>,
): Promise<Suggestions> {
  const { content } = (await findMemory(parts, path)).entity;
  const { registry, now } = parts;
  const query = content.slice(0, MAX_ASKED_CHARS).replaceAll('#', ' ').trim();
  if (query === '') return [];
  const max_results = Math.min(known.size + MAX_SUGGESTED, MAX_RESULTS);
  const { results } = await registry.search({
    query,
    entity_types: ['memory'],
    preset: 'memory',
    memory: { ends_after: now().toISOString() },
    include_draft: true,
    max_results,
  });
  const others = results.filter((result) => !known.has(entityId('memory', result.path)));
  const cosines = new Map(others.map((result) => [result.path, result.similarity_score]));
  const words = wordsOf(content);
  const found = (await registry.getMany('memory', [...cosines.keys()])).flatMap((record): Suggestions => {
    const { path: at, content_hash: hash, content: text } = toMemory(record);
    const theirs = wordsOf(text);
    const [shared, cosine] = [overlap(words, theirs), cosines.get(at) ?? null];
    if (shared < NEAR_DUPLICATE && (cosine === null || cosine < MIN_COSINE)) return [];
    const similarity = Math.round(Math.max(shared, cosine ?? 0) * 1000) / 1000;
    const differs = shared < NEAR_DUPLICATE ? [] : valuesThatDiffer(words, theirs);
    if (differs.length > 0)
      return [{ hash, relation: 'conflicts_with', similarity, why: `differs in ${differs.join(', ')}` }];
    const why = shared < NEAR_DUPLICATE ? 'similar in meaning' : 'says nearly the same';
    return [{ hash, relation: 'related_to', similarity, why }];
  });
  found.sort((a, b) => b.similarity - a.similarity || (a.hash < b.hash ? -1 : 1));
  return found.slice(0, MAX_SUGGESTED);
}
