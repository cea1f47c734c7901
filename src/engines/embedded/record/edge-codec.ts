/**
 * The edges of one source as bytes, column by column: weights, confidences, decays and times as 64-bit numbers, then targets,
 * provenances and types as 32-bit numbers, little-endian as every machine that Node runs on. One row of SQLite for each of a
 * million edges would take two seconds to read; columns are copied at once.
 */
const FLOATS = ['weight', 'confidence', 'decay', 'verifiedAt'] as const;
const WHOLES = ['target', 'provenance', 'type'] as const;
export const EDGE_BYTES = FLOATS.length * 8 + WHOLES.length * 4;

export interface EdgeCell {
  /** Numbers of names. */
  readonly target: number;
  readonly provenance: number;
  /** The position in `EDGE_TYPES`. */
  readonly type: number;
  readonly weight: number;
  readonly confidence: number;
  readonly decay: number;
  /** NaN: unknown. */
  readonly verifiedAt: number;
}

type Floats = { readonly [F in (typeof FLOATS)[number]]: Float64Array };
type Wholes = { readonly [F in (typeof WHOLES)[number]]: Uint32Array | Uint8Array };

export function encodeEdges(cells: readonly EdgeCell[]): Uint8Array {
  const buffer = new ArrayBuffer(cells.length * EDGE_BYTES);
  FLOATS.forEach((field, at) => {
    new Float64Array(buffer, at * cells.length * 8, cells.length).set(cells.map((cell) => cell[field]));
  });
  const from = FLOATS.length * cells.length * 8;
  WHOLES.forEach((field, at) => {
    new Uint32Array(buffer, from + at * cells.length * 4, cells.length).set(cells.map((cell) => cell[field]));
  });
  return new Uint8Array(buffer);
}

/** Copies the edges into columns, from a place on, and returns how many they are. */
export function copyEdges(bytes: Uint8Array, columns: Floats & Wholes, place: number): number {
  const count = Math.floor(bytes.byteLength / EDGE_BYTES);
  const { buffer, byteOffset } = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  for (let at = 0; at < FLOATS.length; at++) {
    columns[FLOATS[at]!].set(new Float64Array(buffer, byteOffset + at * count * 8, count), place);
  }
  const from = byteOffset + FLOATS.length * count * 8;
  for (let at = 0; at < WHOLES.length; at++) {
    columns[WHOLES[at]!].set(new Uint32Array(buffer, from + at * count * 4, count), place);
  }
  return count;
}

export function decodeEdges(bytes: Uint8Array): EdgeCell[] {
  const count = Math.floor(bytes.byteLength / EDGE_BYTES);
  const floats = () => new Float64Array(count);
  const wholes = () => new Uint32Array(count);
  const columns = {
    weight: floats(),
    confidence: floats(),
    decay: floats(),
    verifiedAt: floats(),
    target: wholes(),
    provenance: wholes(),
    type: wholes(),
  };
  copyEdges(bytes, columns, 0);
  return Array.from({ length: count }, (_, at) => ({
    target: columns.target[at]!,
    provenance: columns.provenance[at]!,
    type: columns.type[at]!,
    weight: columns.weight[at]!,
    confidence: columns.confidence[at]!,
    decay: columns.decay[at]!,
    verifiedAt: columns.verifiedAt[at]!,
  }));
}
