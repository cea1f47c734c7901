/**
 * Explains a score. A node with parts is exactly their sum, so that a reader can add up the tree. Multiplication and
 * normalization are shown as the share of each part. Leaves have their inputs (`rank`, `k`, `weight`, `idf`, ...) in
 * `detail`.
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

/** The only way to build a sum node, so that it always agrees with its parts. */
export function sum(
  label: string,
  parts: readonly Explanation[],
  detail?: Readonly<Record<string, number | string>>,
): Explanation {
  let value = 0;
  for (const part of parts) value += part.value;
  return detail === undefined ? { label, value, parts } : { label, value, parts, detail };
}

/** Multiplies a whole tree. Every part keeps its share. */
export function scaled(node: Explanation, factor: number): Explanation {
  return {
    ...node,
    value: node.value * factor,
    ...(node.parts === undefined ? {} : { parts: node.parts.map((part) => scaled(part, factor)) }),
  };
}
