import type { Store } from '../../engines/store.ts';
import {
  type Entity,
  type EntityId,
  type EntityType,
  entityId,
  idOf,
  ParsedEntity,
  parseEntityType,
} from '../../model/entity.ts';
import { SERVER_TYPES } from '../../model/entity-types/table.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { showValue } from '../../model/parse/parse.ts';
import { barePath } from '../../model/text/bare-path.ts';
import { trimEndChars } from '../../model/text/trim-chars.ts';
import { type Records, storedAt } from '../view/stored-at.ts';

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
  if (added.length === 0) return parsed;
  const twins = new Map((await store.getMany(added.map(twinOf))).map(({ id, entity }) => [id, entity.path]));
  if (twins.size === 0) return parsed;
  return parsed.map((one) => {
    const path = stored.has(idOf(one.entity)) ? undefined : twins.get(twinOf(one));
    return path === undefined ? one : new ParsedEntity({ ...one.entity, path }, one.warnings, one.input);
  });
}

/** What a URL names. */
interface UrlEntity {
  readonly type: EntityType;
  readonly path: string;
}

/** Types whose paths begin with a slash, as the MCP gateway registry stores them. */
const ROOTED: readonly EntityType[] = [...SERVER_TYPES, 'a2a_agent'];

/** Reading `context7` or `/context7/` finds `/context7`, so writing there must replace it, not add a second entity. */
async function storedPath(records: Records<{ readonly entity: Entity }>, { type, path }: UrlEntity): Promise<string> {
  const found = await storedAt(records, type, path);
  if (found !== undefined) return found.entity.path;
  if (barePath(path) === '') return path;
  return ROOTED.includes(type) ? `/${barePath(path)}` : trimEndChars(path, '/');
}

/** The entity with its type and path. Body and URL must agree on them; the spelling of the body is kept. */
export async function namedByUrl(
  records: Records<{ readonly entity: Entity }>,
  url: UrlEntity,
  body: unknown,
): Promise<unknown> {
  if (!isJsonObject(body)) return body;
  const { type } = url;
  const path = body.path === undefined ? await storedPath(records, url) : url.path;
  if (body.type !== undefined && parseEntityType(body.type) !== type) throw mismatch('type', body.type, type);
  if (typeof body.path === 'string' && barePath(body.path) !== barePath(path)) {
    throw mismatch('path', body.path, path);
  }
  return { ...body, type, path: body.path ?? path };
}

function mismatch(field: 'type' | 'path', sent: unknown, url: string): DowserError {
  const message = `'${field}' of the body is ${showValue(sent)}, but the URL has ${showValue(url)}.`;
  const hint = `Remove '${field}' from the body, or use the same value.`;
  return new DowserError('INVALID_REQUEST', message, { field, hint });
}
