import type { Explanation } from '../../src/model/answer/explanation.ts';

/** The first node of a tree with this label. */
export function nodeOf(tree: Explanation | undefined, label: string): Explanation | undefined {
  if (tree === undefined || tree.label === label) return tree;
  for (const part of tree.parts ?? []) {
    const found = nodeOf(part, label);
    if (found !== undefined) return found;
  }
  return undefined;
}
