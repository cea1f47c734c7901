/**
 * The edges of one source as bytes, little-endian: for each edge three whole numbers (target, provenance, type) and four
 * others (weight, confidence, decay, verified). One row of SQLite for each of a million edges takes two seconds to read.
 */
export const EDGE_BYTES = 3 * 4 + 4 * 8;

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

export function encodeEdges(cells: readonly EdgeCell[]): Uint8Array {
  const bytes = new Uint8Array(cells.length * EDGE_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [i, cell] of cells.entries()) {
    const at = i * EDGE_BYTES;
    view.setUint32(at, cell.target, true);
    view.setUint32(at + 4, cell.provenance, true);
    view.setUint32(at + 8, cell.type, true);
    view.setFloat64(at + 12, cell.weight, true);
    view.setFloat64(at + 20, cell.confidence, true);
    view.setFloat64(at + 28, cell.decay, true);
    view.setFloat64(at + 36, cell.verifiedAt, true);
  }
  return bytes;
}

export function decodeEdges(bytes: Uint8Array): EdgeCell[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const cells: EdgeCell[] = [];
  for (let at = 0; at + EDGE_BYTES <= bytes.byteLength; at += EDGE_BYTES) cells.push(cellAt(view, at));
  return cells;
}

function cellAt(view: DataView, at: number): EdgeCell {
  return {
    target: view.getUint32(at, true),
    provenance: view.getUint32(at + 4, true),
    type: view.getUint32(at + 8, true),
    weight: view.getFloat64(at + 12, true),
    confidence: view.getFloat64(at + 20, true),
    decay: view.getFloat64(at + 28, true),
    verifiedAt: view.getFloat64(at + 36, true),
  };
}
