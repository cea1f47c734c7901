import type { Store } from '../../engines/store.ts';
import { type Entity, type EntityId, entityId, idOf, ParsedEntity } from '../../model/entity.ts';
import { DowserError } from '../../model/errors.ts';
import { trimEndChars } from '../../model/trim-chars.ts';

/** The same path with a slash at its end, or without. */
export const slashTwin = (path: string): string => trimEndChars(path, '/') + (path.endsWith('/') ? '' : '/');

const twinOf = ({ entity }: ParsedEntity): EntityId => entityId(entity.type, slashTwin(entity.path));

/** The ids that an entity is stored under. */
export const spellingsOf = (entity: Entity): readonly EntityId[] =>
  entity.type === 'memory' ? [idOf(entity)] : [idOf(entity), entityId(entity.type, slashTwin(entity.path))];

/**
 * A slash at the end of a path has no meaning: an entity that is stored with the other spelling is replaced. Not a memory: its path
 * follows from its content, and a writer would learn what others have stored.
 */
export async function atStoredSpelling(
  store: Pick<Store, 'getMany'>,
  parsed: readonly ParsedEntity[],
): Promise<readonly ParsedEntity[]> {
  const ids = new Map(parsed.map((one, at) => [idOf(one.entity), at]));
  const [first, second] = [...ids].find(([, at]) => ids.has(twinOf(parsed[at]!))) ?? [];
  if (first !== undefined) {
    const other = ids.get(twinOf(parsed[second!]!))!;
    throw new DowserError('DUPLICATE_PATH', `Entities ${second} and ${other} of the batch are both ${first}.`, {
      field: `entities.${other}.path`,
      hint: 'A slash at the end of a path has no meaning. Name each entity once; nothing of this batch was stored.',
    });
  }
  const stored = new Set((await store.getMany([...ids.keys()])).map(({ id }) => id));
  const added = parsed.filter(({ entity }) => entity.type !== 'memory' && !stored.has(idOf(entity)));
  const twins = new Map((await store.getMany(added.map(twinOf))).map(({ id, entity }) => [id, entity.path]));
  if (twins.size === 0) return parsed;
  return parsed.map((one) => {
    const path = stored.has(idOf(one.entity)) ? undefined : twins.get(twinOf(one));
    return path === undefined ? one : new ParsedEntity({ ...one.entity, path }, one.warnings, one.input);
  });
}
