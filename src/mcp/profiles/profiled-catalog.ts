import { ifFound } from '../../api/wire/if-found.ts';
import type { Entity, EntityType } from '../../model/entity.ts';
import { SERVER_TYPES } from '../../model/entity-types/table.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject, stated } from '../../model/json/json-object.ts';
import { foldTag } from '../../model/query/filter.ts';
import type { EntityRecord } from '../../registry/contract/registry.ts';
import type { FullCatalog } from '../catalog/catalog.ts';
import type { Profile } from './profile-file.ts';

/** What the profile says about types. With servers and no types: servers only. */
function typesOf({ types, servers }: Profile): readonly EntityType[] | undefined {
  return types ?? (servers === undefined ? undefined : SERVER_TYPES);
}

/** Whether entities of a type may be shown. Tools come with their servers. */
export function allowsType(profile: Profile, type: EntityType): boolean {
  const types = typesOf(profile);
  const isToolOfServer = type === 'tool' && SERVER_TYPES.some((server) => types?.includes(server));
  return types === undefined || types.includes(type) || isToolOfServer;
}

/** The catalog as a profile narrows it: what is outside is not found, listed, read or called. */
export function profiledCatalog(catalog: FullCatalog, profile: Profile): FullCatalog {
  const { tags = [], servers } = profile;
  const wantedTags = tags.map(foldTag);
  const within = <T extends string>(asked: readonly T[] | null | undefined): readonly T[] | undefined =>
    asked == null
      ? (typesOf(profile) as readonly T[] | undefined)
      : withoutTools(
          profile,
          asked.filter((type) => allowsType(profile, type as never)),
        );
  const isWithin = (entity: Entity): boolean => {
    const own = new Set(entity.tags.map(foldTag));
    const place = entity.type === 'tool' ? (entity.server_path ?? entity.path) : entity.path;
    // A tool by itself is not one of a server.
    const isAlone = entity.type === 'tool' && entity.server_path === undefined;
    return (
      allowsType(profile, entity.type) &&
      !(isAlone && typesOf(profile)?.includes('tool') === false) &&
      wantedTags.every((tag) => own.has(tag)) &&
      (servers === undefined || servers.includes(place))
    );
  };
  const get: FullCatalog['get'] = async (type, path) => {
    const record = await catalog.get(type, path);
    if (isWithin(record.entity as Entity)) return record;
    throw new DowserError('NOT_FOUND', `There is no ${type} at '${path}'.`, {
      hint: 'Search for it, or check the spelling of the path: it is case-sensitive.',
    });
  };
  return {
    ...catalog,
    search: (request) =>
      catalog.search({
        ...request,
        // What is at a peer is outside of every profile.
        peers: false,
        entity_types: toList(within(request.entity_types)),
        ...(tags.length === 0 ? {} : { tags: [...(request.tags ?? []), ...tags] }),
        ...(servers === undefined ? {} : { paths: [...servers] }),
      }),
    get,
    async page(query = {}) {
      const types = within(query.types);
      if (types?.length === 0) return { entities: [], total_count: 0 };
      if (servers === undefined) {
        const all = [...(query.tags ?? []), ...tags];
        return catalog.page({ ...query, ...stated({ types }), ...(all.length === 0 ? {} : { tags: all }) });
      }
      // A profile names few servers: they are read one by one, in id order, on one page.
      const found: EntityRecord[] = [];
      for (const type of SERVER_TYPES.filter((one) => types?.includes(one) ?? true)) {
        for (const path of [...servers].sort()) {
          const record = await ifFound(get(type, path));
          if (record === undefined) continue;
          const { entity, created_at, updated_at } = record;
          found.push({ entity, created_at, updated_at });
        }
      }
      return { entities: found, total_count: found.length };
    },
    preflight: async (paths) => {
      const allowed = await Promise.all(paths.map((path) => ifFound(get('tool', path))));
      const checks = await catalog.preflight(paths.filter((_, at) => allowed[at] !== undefined));
      let next = 0;
      return paths.map((path, at) =>
        allowed[at] === undefined
          ? {
              path,
              class: null,
              definition: null,
              signature: null,
              code: 'NOT_FOUND',
              why: 'It is not in this profile.',
            }
          : checks[next++]!,
      );
    },
    async call(request, options) {
      const { path } = isJsonObject(request) ? request : {};
      if (typeof path !== 'string') {
        throw new DowserError('INVALID_ARGUMENTS', "The 'path' of the tool is missing.", {
          field: 'path',
          hint: 'Send the path that search_tools gave, and the arguments as an object.',
        });
      }
      const { entity } = await get('tool', path.trim());
      return catalog.call({ ...pick(request as JsonObject, CALL_FIELDS), path: entity.path }, options);
    },
  };
}

/** Tools of servers are found with their servers: the type `tool` would add tools that have none. */
function withoutTools<T extends string>(profile: Profile, types: readonly T[]): readonly T[] {
  const hasServers = types.some((type) => (SERVER_TYPES as readonly string[]).includes(type));
  const isGiven = typesOf(profile)?.includes('tool') !== false;
  return hasServers && !isGiven ? types.filter((type) => type !== 'tool') : types;
}

const toList = (types: readonly string[] | undefined): string[] | null => (types === undefined ? null : [...types]);

/** Other names of these fields may mean another tool: in a profile they are left out. */
const CALL_FIELDS = ['arguments', 'definition', 'session', 'max_tokens', 'timeout_s', 'read_only'];

const pick = (fields: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
