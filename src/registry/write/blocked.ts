import { type Entity, type EntityType, idOf } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { Review } from '../contract/answers.ts';
import type { ScopedRegistry } from '../contract/registry.ts';

/** The annotation with what an admin decided about an entity. */
export const REVIEW_KEY = 'review';

/** The review of an entity that an admin has blocked, else undefined. */
export function blockedBy(notes: Readonly<Record<string, unknown>> | undefined): Review | undefined {
  const review = notes?.[REVIEW_KEY] as Review | undefined;
  return review?.decision === 'blocked' ? review : undefined;
}

/** The paths that an admin has blocked, of the entities that the caller may read. Upkeep keeps them, or a block would end with it. */
export async function blockedPaths(
  registry: Pick<ScopedRegistry, 'annotated'>,
  type: EntityType,
): Promise<ReadonlySet<string>> {
  const reviews = await registry.annotated(type, REVIEW_KEY);
  return new Set([...reviews].flatMap(([path, value]) => (blockedBy({ [REVIEW_KEY]: value }) ? [path] : [])));
}

/** No write may enable what is blocked. */
export function checkBlocked(entity: Entity, notes: Readonly<Record<string, unknown>> | undefined): void {
  const blocked = entity.is_enabled ? blockedBy(notes) : undefined;
  if (blocked === undefined) return;
  const why = blocked.reason === undefined ? '' : ` (${blocked.reason})`;
  throw new DowserError('FORBIDDEN', `${idOf(entity)} was blocked by ${blocked.by}${why}.`, {
    field: 'is_enabled',
    hint: "Send 'is_enabled' as false. An admin can lift the block with `dowser approve`.",
  });
}
