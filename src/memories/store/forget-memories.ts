import { mayChange } from '../../model/caller/caller.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { parseWith } from '../../model/parse/parse.ts';
import { blockedPaths } from '../../registry/write/blocked.ts';
import type { Forgotten } from '../contract/memory-answers.ts';
import { type ForgetMemories, forgetMemoriesSchema } from '../contract/memory-requests.ts';
import { hashAt, type MemoryEntity } from '../contract/to-memory.ts';
import { filterRows } from '../find/filter-rows.ts';
import { findMemory } from '../find/find-memory.ts';
import { rowQuery } from '../find/list-memories.ts';
import type { MemoryParts } from '../parts/memory-parts.ts';

/** How long a forgotten memory can be brought back. */
export const KEEP_DELETED_DAYS = 30;
const DAY_MS = 86_400_000;
const MAX_SHOWN = 100;
/** Memories in one transaction. */
const BATCH = 500;

/** A filter must say which memories are meant: these alone would mean all of them. */
const NOT_FILTERS: readonly string[] = ['dry_run', 'purge', 'tag_match'];

export async function forgetMemories(parts: MemoryParts, input: ForgetMemories): Promise<Forgotten> {
  const request = parseWith(forgetMemoriesSchema, input, 'request');
  const { dry_run, purge } = request;
  const paths = await meant(parts, request);
  if (!dry_run) {
    if (purge) await deleteForGood(parts, paths);
    else await softDelete(parts, paths);
    await purgeOld(parts);
  }
  const refused = dry_run ? await refusedOf(parts, paths) : [];
  const count = paths.length;
  const done = dry_run ? 'Would forget' : purge ? 'Deleted for good' : 'Forgot';
  return {
    success: true,
    message: `${done} ${count} ${count === 1 ? 'memory' : 'memories'}${refusal(refused.length)}`,
    count,
    dry_run,
    hashes: paths.slice(0, MAX_SHOWN).map(hashAt),
    ...(dry_run ? { refused: refused.slice(0, MAX_SHOWN).map(hashAt) } : {}),
  };
}

const refusal = (count: number): string =>
  count === 0 ? '' : `, but ${count} of them may only be forgotten by others: nothing would be forgotten`;

/** Those that the caller may read, but not change. */
async function refusedOf({ registry, caller }: MemoryParts, paths: readonly string[]): Promise<readonly string[]> {
  const refused: string[] = [];
  for (let at = 0; at < paths.length; at += BATCH) {
    const found = await registry.getMany('memory', paths.slice(at, at + BATCH));
    for (const { entity } of found) if (!mayChange(caller, entity)) refused.push(entity.path);
  }
  return refused;
}

async function meant(
  parts: MemoryParts,
  request: ReturnType<typeof forgetMemoriesSchema.parse>,
): Promise<readonly string[]> {
  const { registry } = parts;
  const { content_hash, purge } = request;
  if (content_hash !== undefined) return [(await findMemory(parts, content_hash, 'content_hash', purge)).entity.path];
  const given = Object.entries(request).filter(([field, value]) => value !== undefined && !NOT_FILTERS.includes(field));
  const says = given.filter(([, value]) => !(Array.isArray(value) && value.length === 0));
  if (says.length === 0) {
    throw new DowserError('INVALID_REQUEST', 'The request does not say which memories to forget.', {
      field: 'content_hash',
      hint: 'Give a content_hash, tags, a type or a time.',
    });
  }
  const query = await rowQuery(parts, request, { withSuperseded: true, withDeleted: purge });
  return filterRows(await registry.rows('memory'), query).map(({ path }) => path);
}

async function deleteForGood({ registry, events }: MemoryParts, paths: readonly string[]): Promise<void> {
  const gone = await registry.getMany('memory', paths);
  await registry.deleteMany('memory', paths);
  events.deleted(gone.map(({ entity }) => entity as MemoryEntity));
}

/** They leave every search and list at once. */
async function softDelete({ registry, now, events }: MemoryParts, paths: readonly string[]): Promise<void> {
  const deleted_at = now().toISOString();
  for (let at = 0; at < paths.length; at += BATCH) {
    const some = paths.slice(at, at + BATCH);
    let gone: readonly MemoryEntity[] = [];
    await registry.changeMany(
      'memory',
      some,
      (found) => {
        gone = [...found.values()];
        return gone.map((memory) => ({ ...memory, is_enabled: false, deleted_at }));
      },
      { vectors: 'later' },
    );
    events.deleted(gone);
  }
}

/** Deletes for good what anyone forgot long ago. What an admin has blocked stays: stored again, it would be free. */
export async function purgeOld({
  unrestricted: registry,
  now,
}: Pick<MemoryParts, 'unrestricted' | 'now'>): Promise<void> {
  const until = now().getTime() - KEEP_DELETED_DAYS * DAY_MS;
  const blocked = await blockedPaths(registry, 'memory');
  const rows = (await registry.rows('memory')).filter(({ is_enabled, path }) => !is_enabled && !blocked.has(path));
  const disabled = rows.map(({ path }) => path);
  if (disabled.length === 0) return;
  const old = (await registry.getMany('memory', disabled)).filter(({ entity }) => {
    return entity.type === 'memory' && entity.deleted_at !== undefined && Date.parse(entity.deleted_at) < until;
  });
  if (old.length > 0)
    await registry.deleteMany(
      'memory',
      old.map(({ entity }) => entity.path),
    );
}
