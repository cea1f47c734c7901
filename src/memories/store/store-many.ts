import { z } from 'zod';
import { text } from '../../model/entity-types/fields.ts';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { parseWith, showValue } from '../../model/parse/parse.ts';
import { MAX_BATCH } from '../../registry/contract/registry.ts';
import { contentHash } from '../../registry/write/memory-hash.ts';
import { storeMemorySchema } from '../contract/memory-requests.ts';
import { DEFAULT_SOURCE } from '../contract/source-class.ts';
import { type MemoryEntity, type MemoryPlace, pathOf } from '../contract/to-memory.ts';
import type { MemoryParts } from '../parts/memory-parts.ts';
import { entityOf, placeFor } from './store-memory.ts';

export const storedManySchema = z.object({
  stored: z.int(),
  duplicates: z.int().describe('Of memories that were there, or twice in the list.'),
  refused: z.array(z.object({ index: z.int(), message: z.string() })),
});
export type StoredMany = z.output<typeof storedManySchema>;

/** What an import takes: memories without lineage and successors. With `owner`, a memory was private. */
const importedSchema = storeMemorySchema
  .omit({ derived_from: true, supersedes: true, reason: true, count_as: true })
  .extend({ owner: text(256).optional() });

/** What was private stays so: an admin restores it to its owner, and another caller stores it as its own. */
function privatePlace({ caller }: MemoryParts, before: string): MemoryPlace {
  const owner = caller.readers === null && before !== '' ? before : caller.name;
  if (owner !== undefined) return { owner };
  const why =
    before === ''
      ? 'empty: a private memory needs one'
      : `${showValue(before)}: a caller without a name cannot store a private memory`;
  throw new DowserError('INVALID_REQUEST', `'owner' is ${why}.`, {
    field: 'owner',
    hint: 'Import it with an API key, which becomes its owner. The key of an admin restores its owner.',
  });
}

/** Stores a list at once, and refuses a bad one alone. Vectors follow in the background. */
export async function storeMany(parts: MemoryParts, inputs: readonly unknown[]): Promise<StoredMany> {
  if (!Array.isArray(inputs) || inputs.length > MAX_BATCH) {
    const given = Array.isArray(inputs) ? `${inputs.length} memories` : showValue(inputs);
    throw new DowserError('INVALID_REQUEST', `'memories' is ${given}: must be a list of at most ${MAX_BATCH}.`, {
      field: 'memories',
    });
  }
  const now = parts.now().toISOString();
  const refused: { index: number; message: string }[] = [];
  const made = new Map<string, MemoryEntity>();
  let valid = 0;
  inputs.forEach((input, index) => {
    try {
      const { owner, ...request } = parseWith(importedSchema, input, 'memory');
      const place = owner === undefined ? placeFor(parts, request.namespace) : privatePlace(parts, owner);
      const path = pathOf(contentHash(request.content), place);
      if (!made.has(path)) made.set(path, entityOf(request, path, now, request.source_class ?? DEFAULT_SOURCE, place));
      valid += 1;
    } catch (thrown) {
      refused.push({ index, message: toDowserError(thrown).message });
    }
  });
  let stored: readonly string[] = [];
  await parts.registry.changeMany(
    'memory',
    [...made.keys()],
    (found) => {
      const fresh = [...made].filter(([path]) => found.get(path)?.deleted_at !== undefined || !found.has(path));
      stored = fresh.map(([path]) => path);
      return fresh.map(([, memory]) => memory);
    },
    { vectors: 'later' },
  );
  if (parts.events.isFollowed) {
    const records = await parts.registry.getMany('memory', stored);
    parts.events.stored(records.map(({ entity }) => entity as MemoryEntity));
  }
  return { stored: stored.length, duplicates: valid - stored.length, refused };
}
