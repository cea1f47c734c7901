import type { EdgeColumns } from '../engines/edge-store.ts';
import type { Sliced } from '../engines/in-slices.ts';

/** The end of a list. */
export const NONE = -1;

/** By edge: the next edge of its source and of its target. By node: the first of both lists, and sums over its edges. */
export interface EdgeLists {
  readonly nextOut: Int32Array;
  readonly nextIn: Int32Array;
  readonly firstOut: Int32Array;
  readonly firstIn: Int32Array;
  readonly degree: Uint32Array;
  readonly strength: Float64Array;
}

/** Edges in one slice: a few milliseconds. */
const SLICE = 50_000;

/** All edges at once, on plain arrays: a million calls of methods would take longer than all the rest. */
export function* listEdges({ names, source, target, weight, confidence }: EdgeColumns): Sliced<EdgeLists> {
  const nodes = names.length;
  const lists: EdgeLists = {
    nextOut: new Int32Array(source.length),
    nextIn: new Int32Array(source.length),
    firstOut: new Int32Array(nodes).fill(NONE),
    firstIn: new Int32Array(nodes).fill(NONE),
    degree: new Uint32Array(nodes),
    strength: new Float64Array(nodes),
  };
  const { nextOut, nextIn, firstOut, firstIn, degree, strength } = lists;
  for (let from = 0; from < source.length; from += SLICE) {
    const end = Math.min(from + SLICE, source.length);
    for (let row = from; row < end; row++) {
      const a = source[row]!;
      const b = target[row]!;
      const own = weight[row]! * confidence[row]!;
      nextOut[row] = firstOut[a]!;
      firstOut[a] = row;
      nextIn[row] = firstIn[b]!;
      firstIn[b] = row;
      degree[a]! += 1;
      degree[b]! += 1;
      strength[a]! += own;
      strength[b]! += own;
    }
    yield;
  }
  return lists;
}
