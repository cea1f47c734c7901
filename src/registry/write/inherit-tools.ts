import type { Engine } from '../../engines/engine.ts';
import type { Store } from '../../engines/store.ts';
import { canonicalJson } from '../../model/definitions.ts';
import {
  type Entity,
  type EntityId,
  entityId,
  idOf,
  type McpServer,
  splitEntityId,
  type VirtualServer,
} from '../../model/entity.ts';
import { definitionOf } from '../../model/entity-types/tool-definition.ts';
import type { ToolMapping } from '../../model/entity-types/virtual-server.ts';
import { readerKeys } from '../../model/query/filter.ts';
import { serverVersion } from '../../model/server-version.ts';
import { barePath } from '../../model/text/bare-path.ts';
import { hasKept } from '../contract/kept-versions.ts';
import { scanRecords } from '../view/scan-records.ts';

export interface Inheritance {
  /** The batch. Its virtual servers have the descriptions of their backend tools. */
  readonly entities: readonly Entity[];
  /** Stored virtual servers that change because the batch changes one of their backends. */
  readonly followers: readonly VirtualServer[];
  /** Mappings without a backend tool, by virtual server of the batch. */
  readonly warnings: ReadonlyMap<EntityId, readonly string[]>;
}

/** Whether two entities are the same as their writers gave them. */
export const isSameEntity = (a: Entity, b: Entity): boolean =>
  canonicalJson(withoutInherited(a)) === canonicalJson(withoutInherited(b));

function withoutInherited(entity: Entity): Entity {
  if (entity.type !== 'virtual_server') return entity;
  return { ...entity, tool_mappings: entity.tool_mappings.map(({ inherited: _, ...mapping }) => mapping) };
}

/** Backends by bare path. Null: not registered. */
type Backends = Map<string, McpServer | null>;

/**
 * A mapping without a description inherits that of its backend tool, if all its readers may read the backend. The text is copied at each write, not at a search: to
 * the virtual servers of the batch, and to stored ones whose backend the batch writes or `gone` deletes. Backends are looked
 * up in `readable`, the entities that the writer may read. `inherited` from a caller is dropped.
 */
export async function inheritTools(
  engine: Engine,
  batch: readonly Entity[],
  gone: readonly EntityId[] = [],
  readable: Pick<Store, 'getMany'> = engine.store,
): Promise<Inheritance> {
  const backends: Backends = new Map();
  for (const id of gone) {
    const { type, path } = splitEntityId(id);
    if (type === 'mcp_server') backends.set(barePath(path), null);
  }
  for (const entity of batch) if (entity.type === 'mcp_server') backends.set(barePath(entity.path), entity);

  const ids = new Set<EntityId>([...batch.map(idOf), ...gone]);
  const followers = await followersOf(engine, backends, ids);
  const virtual = batch.filter((entity) => entity.type === 'virtual_server');
  await fetchBackends(readable, virtual, backends);
  const notes = await notesOfVersions(engine.store, virtual, backends);

  const warnings = new Map<EntityId, readonly string[]>();
  const entities = batch.map((entity) => {
    if (entity.type !== 'virtual_server') return entity;
    const dead = entity.tool_mappings.flatMap((mapping) => [
      ...deadEnd(mapping, backends, entity),
      ...unknownVersion(mapping, backendOf(mapping, backends, entity), notes),
    ]);
    if (dead.length > 0) warnings.set(idOf(entity), dead);
    return { ...entity, tool_mappings: entity.tool_mappings.map((mapping) => resolved(mapping, backends, entity)) };
  });
  return { entities, followers, warnings };
}

async function followersOf(
  engine: Engine,
  changed: Backends,
  written: ReadonlySet<EntityId>,
): Promise<readonly VirtualServer[]> {
  if (changed.size === 0 || ((await engine.index.stats()).byType.virtual_server ?? 0) === 0) return [];
  const followers: VirtualServer[] = [];
  for await (const { id, entity } of scanRecords(engine.store, ['virtual_server'])) {
    if (written.has(id)) continue;
    const mappings = entity.tool_mappings.map((mapping) =>
      changed.has(barePath(mapping.backend_server_path)) ? resolved(mapping, changed, entity) : mapping,
    );
    if (mappings.some((mapping, i) => !sameText(mapping, entity.tool_mappings[i]!))) {
      followers.push({ ...entity, tool_mappings: mappings });
    }
  }
  return followers;
}

async function fetchBackends(
  store: Pick<Store, 'getMany'>,
  virtual: readonly VirtualServer[],
  backends: Backends,
): Promise<void> {
  const paths = new Set(virtual.flatMap((server) => server.tool_mappings.map((m) => barePath(m.backend_server_path))));
  const wanted = [...paths].filter((path) => !backends.has(path));
  if (wanted.length === 0) return;
  const spellings = wanted.flatMap((path) => [path, `/${path}`, `${path}/`, `/${path}/`]);
  const ids = spellings.map((path) => entityId('mcp_server', path));
  for (const path of wanted) backends.set(path, null);
  for (const { entity } of await store.getMany(ids)) backends.set(barePath(entity.path), entity as McpServer);
}

/** A virtual server shows nothing of a backend that some of its own readers may not read. */
function backendOf({ backend_server_path }: ToolMapping, backends: Backends, server: VirtualServer): McpServer | null {
  const backend = backends.get(barePath(backend_server_path)) ?? null;
  if (backend === null || backend.visibility === 'public') return backend;
  const readers = readerKeys(backend);
  return readerKeys(server).every((key) => readers.includes(key)) ? backend : null;
}

const backendTool = (mapping: ToolMapping, backends: Backends, server: VirtualServer) =>
  backendOf(mapping, backends, server)?.tools.find((tool) => tool.name === mapping.tool_name);

function resolved({ inherited: _, ...mapping }: ToolMapping, backends: Backends, server: VirtualServer): ToolMapping {
  const tool = backendTool(mapping, backends, server);
  if (tool === undefined) return mapping;
  const { description, inputSchema } = tool;
  const schema = inputSchema === undefined ? {} : { inputSchema };
  return { ...mapping, inherited: { description, ...schema, ...definitionOf(tool) } };
}

function deadEnd(mapping: ToolMapping, backends: Backends, server: VirtualServer): readonly string[] {
  const { tool_name, backend_server_path } = mapping;
  if (backends.get(barePath(backend_server_path)) === null) {
    return [`Tool '${tool_name}' is mapped to '${backend_server_path}', which is not registered.`];
  }
  if (backendOf(mapping, backends, server) === null) {
    return [
      `Tool '${tool_name}' is mapped to '${backend_server_path}', which not every reader may read: it has no description.`,
    ];
  }
  if (backendTool(mapping, backends, server) !== undefined) return [];
  return [`Tool '${tool_name}' is mapped to '${backend_server_path}', which has no tool of that name.`];
}

/** What is noted about the backends of mappings that name a version. */
async function notesOfVersions(store: Store, virtual: readonly VirtualServer[], backends: Backends): Promise<Notes> {
  const mappings = virtual.flatMap(({ tool_mappings }) => tool_mappings);
  const named = mappings.filter(({ backend_version }) => backend_version !== undefined);
  const servers = new Set(named.flatMap(({ backend_server_path: at }) => backends.get(barePath(at)) ?? []));
  return servers.size === 0 ? new Map() : store.annotationsOf([...servers].map(idOf));
}

type Notes = Awaited<ReturnType<Store['annotationsOf']>>;

function unknownVersion(mapping: ToolMapping, backend: McpServer | null, notes: Notes): readonly string[] {
  const { tool_name, backend_server_path, backend_version } = mapping;
  if (backend === null || backend_version === undefined || backend_version === serverVersion(backend)) return [];
  if (hasKept(notes.get(idOf(backend)), backend_version)) return [];
  return [`Tool '${tool_name}' is mapped to '${backend_server_path}', which has no version '${backend_version}'.`];
}

const sameText = (a: ToolMapping, b: ToolMapping) => JSON.stringify(a.inherited) === JSON.stringify(b.inherited);
