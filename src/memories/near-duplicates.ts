import type { ScopedRegistry } from '../registry/registry.ts';
import type { NearDuplicate } from './memory-answers.ts';
import { type MemoryEntity, toMemory } from './to-memory.ts';

/** Memories with this share of their words in common say nearly the same. */
export const NEAR_DUPLICATE = 0.6;

/** The start of a long text is enough to find what it repeats. */
const MAX_ASKED_CHARS = 1000;
const MAX_CANDIDATES = 10;
const MAX_NAMED = 5;

/** The words of a text, folded. Numbers stay: they often are the only difference. */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  );
}

/** The share of words in common, from 0 to 1. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const word of a) if (b.has(word)) common += 1;
  const all = a.size + b.size - common;
  return all === 0 ? 0 : common / all;
}

/** Current memories that say nearly the same, most similar first. By keyword alone, so that no model is waited for. */
export async function nearDuplicates(
  registry: ScopedRegistry,
  content: string,
  except: readonly string[],
): Promise<NearDuplicate[]> {
  const words = wordsOf(content);
  // `#` would be a tag.
  const query = content.slice(0, MAX_ASKED_CHARS).replaceAll('#', ' ').trim();
  if (words.size === 0 || query === '') return [];
  const { results } = await registry.search({
    query,
    entity_types: ['memory'],
    preset: 'keyword',
    max_results: MAX_CANDIDATES,
  });
  const paths = results.map(({ path }) => path).filter((path) => !except.includes(path));
  const found = (await registry.getMany('memory', paths)).map((record) => ({
    memory: toMemory(record),
    similarity: overlap(words, wordsOf((record.entity as MemoryEntity).content)),
  }));
  return found
    .filter(({ similarity }) => similarity >= NEAR_DUPLICATE)
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, MAX_NAMED)
    .map(({ memory, similarity }) => ({
      content_hash: memory.content_hash,
      similarity: Math.round(similarity * 1000) / 1000,
      content: memory.content,
    }));
}
