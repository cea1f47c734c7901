import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import type { EntityRecord, ScopedRegistry } from '../../registry/contract/registry.ts';
import { type MemoryEntity, pathOf } from '../contract/to-memory.ts';
import type { MemoryParts } from '../parts/memory-parts.ts';

/** More paths do not help. */
const MAX_NAMED = 5;
const HASH = /^[0-9a-f]{8,64}$/i;

/**
 * The memory that a hash, the start of a hash or a path names. Throws INVALID_REQUEST for anything else, NOT_FOUND if there is
 * none or it was forgotten. `field` is the field of the request that has the hash.
 */
export async function findMemory(
  { registry, caller }: Pick<MemoryParts, 'registry' | 'caller'>,
  given: string,
  field = 'content_hash',
  withDeleted = false,
): Promise<EntityRecord & { readonly entity: MemoryEntity }> {
  const name = String(given).trim();
  const record = name.startsWith('/') ? await atPath(registry, name) : await byHash(registry, name, field, caller.name);
  const entity = record?.entity as MemoryEntity | undefined;
  if (record === undefined || entity === undefined || (entity.deleted_at !== undefined && !withDeleted)) {
    throw new DowserError('NOT_FOUND', `There is no memory ${showValue(given)}.`, {
      field,
      hint: 'Search for it, or list the memories.',
    });
  }
  return { ...record, entity };
}

async function atPath(registry: ScopedRegistry, path: string): Promise<EntityRecord | undefined> {
  return (await registry.getMany('memory', [path]))[0];
}

/** Of memories with one content, that of the caller alone comes before that of everyone, and that before others. */
async function byHash(
  registry: ScopedRegistry,
  given: string,
  field: string,
  owner: string | undefined,
): Promise<EntityRecord | undefined> {
  const hash = given.toLowerCase();
  if (!HASH.test(hash)) {
    throw new DowserError('INVALID_REQUEST', `'${field}' is ${showValue(given)}: must be the hash of a memory.`, {
      field,
      hint: 'A hash has 64 characters, 0 to 9 and a to f. Its first 8 or more will do.',
    });
  }
  for (const place of hash.length < 64 ? [] : owner === undefined ? [{}] : [{ owner }, {}]) {
    const found = await atPath(registry, pathOf(hash, place));
    if (found !== undefined) return found;
  }
  const rows = await registry.rows('memory');
  const matches = rows.filter(({ memory }) => memory?.hash?.startsWith(hash) === true);
  const current = matches.filter(({ is_enabled }) => is_enabled);
  const named = current.length > 0 ? current : matches;
  if (named.length > 1 && named.every(({ memory }) => memory?.hash === named[0]!.memory?.hash)) {
    const paths = named.slice(0, MAX_NAMED).map(({ path }) => path);
    const message = `'${field}' is ${showValue(given)}: ${named.length} memories have this content.`;
    throw new DowserError('INVALID_REQUEST', message, { field, hint: `Name one by its path: ${paths.join(', ')}.` });
  }
  if (named.length > 1) {
    throw new DowserError('INVALID_REQUEST', `'${field}' is ${showValue(given)}: ${named.length} memories begin so.`, {
      field,
      hint: 'Give more of the hash.',
    });
  }
  return named[0] === undefined ? undefined : atPath(registry, named[0].path);
}
