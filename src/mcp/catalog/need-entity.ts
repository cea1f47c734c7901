import { ifFound } from '../../api/wire/if-found.ts';
import { ENTITY_TYPES, type Entity, type EntityType } from '../../model/entity.ts';
import { SERVER_TYPES } from '../../model/entity-types/table.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import type { TaggedRecord } from '../../registry/contract/registry.ts';
import { withoutTools } from '../../registry/search/denied-tools.ts';
import type { Catalog } from './catalog.ts';

/** The entity at a path, of the first of these types that has one. Null if none has. */
export async function findEntity(
  catalog: Pick<Catalog, 'get'>,
  types: readonly EntityType[],
  path: string,
): Promise<Entity | null> {
  return (await findRecord(catalog, types, path))?.entity ?? null;
}

async function findRecord(
  catalog: Pick<Catalog, 'get'>,
  types: readonly EntityType[],
  path: string,
  onMissing: (error: DowserError) => void = () => {},
): Promise<TaggedRecord | null> {
  for (const type of types) {
    const found = await ifFound(catalog.get(type, path), onMissing);
    if (found !== undefined && !isDenied(found)) return withoutDenied(found);
  }
  return null;
}

const isDenied = ({ entity, denied_tools }: TaggedRecord): boolean =>
  entity.type === 'tool' && denied_tools?.includes(entity.name) === true;

function withoutDenied(record: TaggedRecord): TaggedRecord {
  const { entity, denied_tools } = record;
  return denied_tools === undefined ? record : { ...record, entity: withoutTools(entity, new Set(denied_tools)) };
}

/** With the type of a server, a path `server#tool` still means the tool. */
function typesFor(kind: EntityType | undefined): readonly EntityType[] {
  if (kind === undefined) return ENTITY_TYPES;
  return (SERVER_TYPES as readonly EntityType[]).includes(kind) ? [kind, 'tool'] : [kind];
}

/** The record at a path from an answer, or of one tool of a server. Throws NOT_FOUND. */
export async function needRecord(
  catalog: Pick<Catalog, 'get'>,
  path: string,
  kind?: EntityType,
): Promise<TaggedRecord> {
  const types = typesFor(kind);
  let meant: string | undefined;
  const found = await findRecord(catalog, types, path, ({ details }) => {
    meant ??= details?.did_you_mean;
  });
  if (found !== null) return found;
  // The error of the registry names the tools of the server.
  if (meant === undefined && path.includes('#') && types.includes('tool')) {
    const record = await catalog.get('tool', path);
    if (!isDenied(record)) return record;
  }
  const what = kind === undefined ? 'Nothing is registered' : `There is no ${kind}`;
  throw new DowserError('NOT_FOUND', `${what} at ${showValue(path)}.`, {
    field: 'path',
    hint:
      meant === undefined
        ? 'Use a path from search_tools. Paths are case-sensitive; a tool of a server is server#tool.'
        : `Did you mean ${showValue(meant)}?`,
  });
}
