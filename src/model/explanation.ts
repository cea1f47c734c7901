/**
 * Why a score is what it is. A node with parts is exactly their sum, so a reader can add a tree up by hand;
 * multiplications and normalizations are written as the share each part has in the result. Leaves carry the
 * numbers they were made from (`rank`, `k`, `weight`, `idf`, ...) in `detail`.
 */
export interface Explanation {
  readonly label: string;
  readonly value: number;
  readonly detail?: Readonly<Record<string, number | string>>;
  readonly parts?: readonly Explanation[];
}

export function leaf(label: string, value: number, detail?: Readonly<Record<string, number | string>>): Explanation {
  return detail === undefined ? { label, value } : { label, value, detail };
}

/** The value is summed here and nowhere else: a sum node cannot disagree with its parts. */
export function sum(
  label: string,
  parts: readonly Explanation[],
  detail?: Readonly<Record<string, number | string>>,
): Explanation {
  let value = 0;
  for (const part of parts) value += part.value;
  return detail === undefined ? { label, value, parts } : { label, value, parts, detail };
}

/** Multiplies a whole tree: every part keeps its share. */
export function scaled(node: Explanation, factor: number): Explanation {
  return {
    ...node,
    value: node.value * factor,
    ...(node.parts === undefined ? {} : { parts: node.parts.map((part) => scaled(part, factor)) }),
  };
}

/** The largest gap between a node and the sum of its parts, over the whole tree. */
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
