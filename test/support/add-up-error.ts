import type { Explanation } from '../../src/model/answer/explanation.ts';

/** The largest difference between a node and the sum of its parts, in the whole tree. */
export function addUpError(node: Explanation): number {
  if (node.parts === undefined) return 0;
  let total = 0;
  let worst = 0;
  for (const part of node.parts) {
    total += part.value;
    worst = Math.max(worst, addUpError(part));
  }
  return Math.max(worst, Math.abs(total - node.value));
}
