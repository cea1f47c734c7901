import type { Engine } from '../../engines/engine.ts';
import type { StoredEntity } from '../../engines/store.ts';
import { type McpServer, type ParsedEntity, parseEntity } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { serverVersion } from '../../model/server-version.ts';
import type { PutResult, ServerVersion } from '../contract/answers.ts';
import { type KeptVersion, keptIn, MAX_VERSIONS, VERSIONS_KEY } from '../contract/kept-versions.ts';
import type { ScopedRegistry } from '../contract/registry.ts';
import { FORGET_SOURCE, sourceNotes } from '../notes/source-note.ts';
import { changeAnnotated, type PublishParts } from './publish.ts';

interface VersionParts extends PublishParts {
  /** Throws NOT_FOUND. */
  readonly find: (path: string) => Promise<StoredEntity>;
  /** A version may be hidden from a caller who sees the default one. */
  readonly canRead: (version: McpServer) => boolean;
  readonly now: () => string;
}

async function notesOf({ store }: Engine, { id }: StoredEntity) {
  return (await store.annotationsOf([id])).get(id);
}

const keptOf = async (engine: Engine, stored: StoredEntity): Promise<readonly KeptVersion[]> =>
  keptIn(await notesOf(engine, stored));

const annotate = ({ engine }: VersionParts, stored: StoredEntity, value: readonly KeptVersion[]): Promise<void> =>
  engine.store.annotate([{ id: stored.id, key: VERSIONS_KEY, value }]);

/** Every version, the default one first, then in the order of their registration. */
export async function listVersions(parts: VersionParts, path: string): Promise<readonly ServerVersion[]> {
  const stored = await parts.find(path);
  const current = stored.entity as McpServer;
  const kept = await keptOf(parts.engine, stored);
  return [
    toVersion(current, stored.createdAt, true),
    ...kept
      .filter(({ entity }) => parts.canRead(entity))
      .map(({ entity, added_at }) => toVersion(entity, added_at, false)),
  ];
}

/** The versions besides the default one of every server that has any, by path. */
export async function otherVersions(
  registry: Pick<ScopedRegistry, 'annotated'>,
): Promise<ReadonlyMap<string, readonly ServerVersion[]>> {
  const kept = await registry.annotated('mcp_server', VERSIONS_KEY);
  return new Map(
    [...kept].map(([path, versions]) => [
      path,
      (versions as readonly KeptVersion[]).map(({ entity, added_at }) => toVersion(entity, added_at, false)),
    ]),
  );
}

function toVersion(entity: McpServer, added_at: string, is_default: boolean): ServerVersion {
  return { version: serverVersion(entity), is_default, entity, added_at };
}

/** Adds a version beside the default one, or replaces it if `overwrite`. */
export function addVersion(parts: VersionParts, parsed: ParsedEntity, overwrite: boolean): Promise<void> {
  return parts.engine.store.inTurn(async () => {
    const stored = await parts.find(parsed.entity.path);
    // First: who may not change the server must not learn which versions are hidden.
    parts.rule.checkChange([stored.entity]);
    const entity = parts.rule.toStore(parsed.entity, stored.entity) as McpServer;
    parts.rule.starts([stored.id], [stored]);
    const kept = await keptOf(parts.engine, stored);
    const same = kept.find((one) => serverVersion(one.entity) === serverVersion(entity));
    const others = kept.filter((one) => one !== same);
    if (same !== undefined && (!overwrite || !parts.canRead(same.entity))) {
      throw new DowserError(
        'ALREADY_EXISTS',
        `The server '${entity.path}' already has the version ${serverVersion(entity)}.`,
        {
          field: 'version',
          hint: 'Choose another version, or send overwrite: true to replace it.',
        },
      );
    }
    if (others.length >= MAX_VERSIONS) {
      throw new DowserError(
        'INVALID_REQUEST',
        `The server '${entity.path}' has ${MAX_VERSIONS} more versions already.`,
        {
          field: 'version',
          hint: 'Remove an old version first.',
        },
      );
    }
    await annotate(parts, stored, [...others, { entity, added_at: parts.now() }]);
  });
}

/** Makes a version the default one: it becomes the entity, and the entity before it one of the other versions. */
export async function setDefaultVersion(parts: VersionParts, path: string, version: string): Promise<PutResult> {
  return changeAnnotated(parts, async () => {
    const stored = await parts.find(path);
    const current = stored.entity as McpServer;
    if (serverVersion(current) === version) return { inputs: [parseEntity(current)] };
    const noted = await notesOf(parts.engine, stored);
    const kept = keptIn(noted);
    const chosen = kept.find((one) => serverVersion(one.entity) === version && parts.canRead(one.entity));
    if (chosen === undefined) throw unknownVersion(current.path, version);
    const rest = kept.filter((one) => one !== chosen);
    const before: KeptVersion = { entity: current, added_at: stored.createdAt, notes: sourceNotes(noted) };
    const versions: readonly KeptVersion[] = [...rest, before];
    // Whether the server is enabled is a choice about the path, not about one of its versions.
    const entity = parseEntity({ ...chosen.entity, path: current.path, is_enabled: current.is_enabled });
    // One write: a process that dies between two of them would lose a version or have one twice.
    // Its tools are not a change of the tools of the version before it.
    const annotations = { ...FORGET_SOURCE, ...chosen.notes, [VERSIONS_KEY]: versions };
    return { inputs: [entity], annotations };
  });
}

export function removeVersion(parts: VersionParts, path: string, version: string): Promise<void> {
  return parts.engine.store.inTurn(async () => {
    const stored = await parts.find(path);
    const current = stored.entity as McpServer;
    if (serverVersion(current) === version) {
      throw new DowserError(
        'INVALID_REQUEST',
        `Version ${version} is the default of '${current.path}' and cannot be deleted.`,
        {
          field: 'version',
          hint: 'Make another version the default first, or delete the server.',
        },
      );
    }
    const kept = await keptOf(parts.engine, stored);
    const rest = kept.filter((one) => serverVersion(one.entity) !== version || !parts.canRead(one.entity));
    if (rest.length === kept.length) throw unknownVersion(current.path, version);
    parts.rule.checkChange([current]);
    parts.rule.starts([stored.id], [stored]);
    await annotate(parts, stored, rest);
  });
}

function unknownVersion(path: string, version: string): DowserError {
  return new DowserError('NOT_FOUND', `The server '${path}' has no version ${showValue(version)}.`, {
    hint: 'List its versions.',
  });
}
