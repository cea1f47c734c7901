import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../src/engines/engine.ts';
import type { IndexedEntity, IndexedUnit } from '../../src/engines/store.ts';
import type { UnitVector } from '../../src/engines/vector-upkeep.ts';
import type { EmbedderIdentity } from '../../src/model/embedder-identity.ts';
import { type EntityInput, parseEntity } from '../../src/model/entity.ts';
import { unitsOf } from '../../src/model/entity-types/table.ts';

/** A toy that still means something: texts with words in common have vectors near each other. */
export const TOY_EMBEDDER: EmbedderIdentity = { id: 'test/words/16', dimensions: 16 };

export function toyVector(text: string, dimensions: number = TOY_EMBEDDER.dimensions): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const hash = createHash('sha256').update(word).digest();
    for (let i = 0; i < dimensions; i++) vector[i] = vector[i]! + (hash[i % hash.length]! - 127.5) / 128;
  }
  return vector;
}

export function hashText(text: string): string {
  return text === '' ? '' : createHash('sha256').update(text).digest('hex');
}

export interface IndexedOptions {
  /** Default true. */
  readonly vectors?: boolean;
}

/** An entity as the registry would hand it to an engine. */
export function indexed(input: EntityInput, options: IndexedOptions = {}): IndexedEntity {
  const { entity } = parseEntity(input);
  const units = unitsOf(entity).map((unit): IndexedUnit => {
    const withHash = { ...unit, textHash: hashText(unit.embedText) };
    return options.vectors === false || unit.embedText === ''
      ? withHash
      : { ...withHash, vector: toyVector(unit.embedText) };
  });
  return { entity, units };
}

/** A server whose card and tools have the words given. */
export function server(path: string, description: string, more: Partial<EntityInput> = {}): EntityInput {
  return { type: 'mcp_server', path, name: path.replaceAll('/', ''), description, ...more } as EntityInput;
}

/** What the background queue does: embeds whatever still waits. */
export async function embedMissing(
  { vectors }: Pick<Engine, 'vectors'>,
  limit = 1000,
  { id, dimensions } = TOY_EMBEDDER,
): Promise<number> {
  const pending = await vectors.missing(limit, undefined, id);
  const made = pending.map(
    ({ unit, text, textHash }): UnitVector => ({ unit, textHash, vector: toyVector(text, dimensions) }),
  );
  return vectors.put(made, id);
}

/** A folder of its own for a test; the test removes it. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'dowser-engine-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
