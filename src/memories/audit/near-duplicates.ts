import type { ScopedRegistry } from '../../registry/contract/registry.ts';
import type { NearDuplicate } from '../contract/memory-answers.ts';
import { toMemory } from '../contract/to-memory.ts';

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

/**
 * Current memories that say nearly the same as one of these contents, most similar first. By keyword alone, so that no model is
 * waited for.
 */
export async function nearDuplicates(
  registry: ScopedRegistry,
  contents: readonly (string | undefined)[],
  except: readonly string[],
): Promise<NearDuplicate[]> {
  const best = new Map<string, NearDuplicate>();
  for (const content of contents) {
    if (content === undefined) continue;
    for (const { path, ...near } of await nearOne(registry, content, except)) {
      if (near.similarity > (best.get(path)?.similarity ?? 0)) best.set(path, near);
    }
  }
  return [...best.values()].sort((a, b) => b.similarity - a.similarity).slice(0, MAX_NAMED);
}

async function nearOne(
  registry: ScopedRegistry,
  content: string,
  except: readonly string[],
): Promise<(NearDuplicate & { readonly path: string })[]> {
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
  const found = (await registry.getMany('memory', paths)).map((record) => {
    const { path, content_hash, content: text } = toMemory(record);
    return { path, content_hash, similarity: overlap(words, wordsOf(text)), content: text };
  });
  return found
    .filter(({ similarity }) => similarity >= NEAR_DUPLICATE)
    .map((near) => ({ ...near, similarity: Math.round(near.similarity * 1000) / 1000 }));
}
