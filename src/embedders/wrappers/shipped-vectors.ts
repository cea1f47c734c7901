import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { VectorCache } from './cache.ts';

/** The vectors of the example catalog, by the default model. The same depth below the package from `src` and from `dist`. */
export const EXAMPLE_VECTORS = fileURLToPath(new URL('../../../examples/catalog/vectors.bin', import.meta.url));

/** A file of vectors: a line of JSON, then for each vector the hash of its text and its numbers as little-endian floats. */
interface Header {
  /** The id of an embedder. */
  readonly embedder: string;
  readonly dimensions: number;
}

const HASH_BYTES = 32;
const FLOAT_BYTES = 4;

export interface ShippedVectors {
  readonly embedder: string;
  /** By hash of the text, as in a `VectorCache`. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
}

/** Null if there is no such file. */
export async function readShippedVectors(file: string = EXAMPLE_VECTORS): Promise<ShippedVectors | null> {
  const bytes = await readFile(file).catch(() => null);
  if (bytes === null) return null;
  const end = bytes.indexOf('\n');
  const { embedder, dimensions } = JSON.parse(bytes.toString('utf8', 0, end)) as Header;
  const vectors = new Map<string, Float32Array>();
  const size = HASH_BYTES + dimensions * FLOAT_BYTES;
  for (let at = end + 1; at + size <= bytes.length; at += size) {
    const floats = new Float32Array(dimensions);
    for (let i = 0; i < dimensions; i++) floats[i] = bytes.readFloatLE(at + HASH_BYTES + i * FLOAT_BYTES);
    vectors.set(bytes.toString('hex', at, at + HASH_BYTES), floats);
  }
  return { embedder, vectors };
}

/** The same vectors give the same bytes. */
export async function writeShippedVectors(file: string, { embedder, vectors }: ShippedVectors): Promise<void> {
  const [first] = vectors.values();
  const header: Header = { embedder, dimensions: first?.length ?? 0 };
  const parts: Uint8Array[] = [Buffer.from(`${JSON.stringify(header)}\n`)];
  for (const [hash, vector] of [...vectors].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const row = Buffer.from(hash.padEnd(2 * (HASH_BYTES + vector.length * FLOAT_BYTES), '0'), 'hex');
    for (const [i, value] of vector.entries()) row.writeFloatLE(value, HASH_BYTES + i * FLOAT_BYTES);
    parts.push(row);
  }
  await writeFile(file, Buffer.concat(parts));
}

/** A cache that also knows the vectors of the examples, so that the first search after a start finds by meaning. */
export function withShippedVectors(cache: VectorCache, file?: string): VectorCache {
  let shipped: Promise<ShippedVectors | null> | undefined;
  return {
    async getMany(embedder, hashes) {
      const found = await cache.getMany(embedder, hashes);
      if (found.size === hashes.length) return found;
      // A file that cannot be read costs time only.
      shipped ??= readShippedVectors(file).catch(() => null);
      const known = await shipped;
      if (known?.embedder !== embedder) return found;
      const all = new Map(found);
      for (const hash of hashes) {
        const vector = found.has(hash) ? undefined : known.vectors.get(hash);
        if (vector !== undefined) all.set(hash, vector);
      }
      return all;
    },
    putMany: (embedder, vectors) => cache.putMany(embedder, vectors),
    close: () => cache.close(),
  };
}
