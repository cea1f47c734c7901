import type { Annotation } from '../../engines/store.ts';
import { canonicalJson } from '../../model/definitions.ts';
import { type Entity, entityId, type McpServer, parseEntity } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { serverVersion } from '../../model/server-version.ts';
import { type KeptVersion, keptIn, VERSIONS_KEY } from '../contract/kept-versions.ts';

type Notes = Readonly<Record<string, unknown>>;

/**
 * The annotation with the versions that a source gives of a server. Null if they are those that are kept. A version that is
 * there already keeps the time when it was added.
 */
export function versionsNote(
  entity: Entity,
  given: readonly Notes[] | undefined,
  notes: Notes,
  now: string,
): Annotation | null {
  if (given === undefined) return null;
  if (entity.type !== 'mcp_server') {
    throw new DowserError('INVALID_REQUEST', `A ${entity.type} has no versions.`, { field: 'versions' });
  }
  const before = keptIn(notes);
  const after = new Map<string, KeptVersion>();
  for (const input of given) {
    const version = parseEntity({ ...input, type: entity.type, path: entity.path }).entity as McpServer;
    const name = serverVersion(version);
    if (name === serverVersion(entity)) continue;
    const known = before.find((kept) => serverVersion(kept.entity) === name);
    after.set(name, { added_at: now, ...known, entity: version });
  }
  const value = [...after.values()];
  if (canonicalJson(value) === canonicalJson(before)) return null;
  return { id: entityId(entity.type, entity.path), key: VERSIONS_KEY, value };
}
