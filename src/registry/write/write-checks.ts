import { isDeepStrictEqual } from 'node:util';
import type { Engine } from '../../engines/engine.ts';
import type { Store, StoredEntity } from '../../engines/store.ts';
import { type Entity, type EntityId, idOf } from '../../model/entity.ts';
import type { CollectionRecord } from '../../model/entity-types/document.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { serverVersion } from '../../model/server-version.ts';
import { hasKept } from '../contract/kept-versions.ts';
import type { ChangeOptions } from '../contract/registry.ts';
import { partOfServer, serverToolAt } from '../view/server-tool.ts';
import { afterWrite, type Records } from '../view/stored-at.ts';
import { newClaims } from './holders.ts';
import { inBatch } from './parse-batch.ts';
import { spellingsOf } from './stored-spelling.ts';
import type { WriteRule } from './write-rule.ts';

/** What the writer may read, as it is in the turn of a write. */
export type TurnRecords = Records<StoredEntity>;

/** The annotations of what a write replaces. */
export type Notes = Awaited<ReturnType<Store['annotationsOf']>>;

/** A server must not take the name of one of its other versions: both could no longer be told apart. */
export function checkVersions(entities: readonly Entity[], before: ReadonlyMap<EntityId, Entity>, notes: Notes): void {
  for (const entity of entities) {
    const stored = before.get(idOf(entity));
    if (entity.type !== 'mcp_server' || stored?.type !== 'mcp_server') continue;
    const version = serverVersion(entity);
    if (version === serverVersion(stored) || !hasKept(notes.get(idOf(entity)), version)) continue;
    throw new DowserError('ALREADY_EXISTS', `The server '${entity.path}' already has the version ${version}.`, {
      field: 'version',
      hint: 'Make that version the default one, or remove it first.',
    });
  }
}

/**
 * A server that watches folders reads the one that a collection names. So only its owner or an admin says which, and which of its
 * files: members of its groups could read folders that are meant for others.
 */
export function checkFolders(
  rule: WriteRule,
  entities: readonly Entity[],
  before: ReadonlyMap<EntityId, Entity>,
): void {
  for (const entity of entities) {
    const stored = before.get(idOf(entity));
    if (entity.type !== 'document' || stored?.type !== 'document' || stored.collection === undefined) continue;
    if (isDeepStrictEqual(filesOf(entity.collection), filesOf(stored.collection)) || rule.owns(stored)) continue;
    throw new DowserError('FORBIDDEN', `Only the owner of ${idOf(stored)} or an admin may change which files it has.`, {
      field: 'collection',
      hint: `Leave 'folder', 'include' and 'exclude' as they are.`,
    });
  }
}

const filesOf = (record: CollectionRecord | undefined) => [record?.folder, record?.include, record?.exclude];

/** The error for a path that the caller cannot have. It says nothing about what is there, and is the same for every reason. */
export function takenPath({ type, path }: { readonly type: string; readonly path: string }): DowserError {
  return new DowserError('ALREADY_EXISTS', `There is already a ${type} at '${path}'.`, {
    field: 'path',
    hint: 'Choose another path.',
  });
}

/**
 * A new tool must not take the path of a tool that a server has, or gets by the same write: the path would name both. A
 * caller who changes a tool of a server must write the server.
 */
export async function checkPlaces(
  readable: TurnRecords,
  entities: readonly Entity[],
  before: ReadonlyMap<EntityId, Entity>,
  batch: boolean,
): Promise<void> {
  const records = afterWrite(readable, entities);
  for (const [at, entity] of entities.entries()) {
    if (entity.type !== 'tool' || before.has(idOf(entity))) continue;
    const part = await serverToolAt(records, entity.path);
    if (part === undefined) continue;
    const error = partOfServer(part);
    throw batch ? inBatch(error, at) : error;
  }
}

/**
 * A new entity must not take the place of one that the caller cannot read, nor that of a tool of such a server. The last check
 * of a write: only a write that would have been stored learns that a path is taken, and the audit log has it.
 */
export async function checkTaken(
  { engine: { store }, readable }: { readonly engine: Engine; readonly readable: Store },
  entities: readonly Entity[],
  before: ReadonlyMap<EntityId, Entity>,
  batch: boolean,
): Promise<void> {
  if (readable === store) return;
  const added = entities.filter((entity) => !before.has(idOf(entity)));
  const taken = new Set((await store.getMany(added.flatMap(spellingsOf))).map(({ id }) => id));
  const records = afterWrite(store, entities);
  for (const [at, entity] of entities.entries()) {
    if (before.has(idOf(entity))) continue;
    const isTaken =
      spellingsOf(entity).some((id) => taken.has(id)) ||
      (entity.type === 'tool' && (await serverToolAt(records, entity.path)) !== undefined);
    if (isTaken) throw batch ? inBatch(takenPath(entity), at) : takenPath(entity);
  }
}

interface ClaimParts {
  readonly readable: TurnRecords;
  readonly rule: WriteRule;
}

/** What holds the entities of a write, if the caller may change it. */
export async function holderOf(
  { readable, rule }: ClaimParts,
  { within }: Pick<ChangeOptions, 'within'>,
): Promise<Entity | undefined> {
  if (within === undefined) return undefined;
  const [stored] = await readable.getMany([within]);
  if (stored === undefined) return undefined;
  rule.checkChange([stored.entity]);
  return stored.entity;
}

/** What an entity becomes part of, or replaces, must be the caller's to change, also by a path that no service has made. */
export async function checkClaims(
  { readable, rule }: ClaimParts,
  entities: readonly Entity[],
  before: ReadonlyMap<EntityId, Entity>,
  batch: boolean,
): Promise<void> {
  const claims = entities.map((entity) => newClaims(entity, before.get(idOf(entity))));
  const ids = claims.flatMap((some) => some.flatMap((claim) => claim.ids));
  if (ids.length === 0) return;
  const stored = new Map(
    (await afterWrite(readable, entities).getMany([...new Set(ids)])).map(({ entity }) => [idOf(entity), entity]),
  );
  for (const [at, some] of claims.entries()) {
    for (const claim of some) {
      const claimed = claim.ids.map((id) => before.get(id) ?? stored.get(id)).find((entity) => entity !== undefined);
      try {
        rule.checkClaim(claim, claimed);
      } catch (error) {
        throw batch && error instanceof DowserError ? inBatch(error, at) : error;
      }
    }
  }
}
