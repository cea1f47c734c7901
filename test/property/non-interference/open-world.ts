import { parseSettings } from '../../../src/config.ts';
import { createDocuments } from '../../../src/documents/create-documents.ts';
import { openEmbedded } from '../../../src/engines/embedded/open-embedded.ts';
import { MemoryEngine } from '../../../src/engines/memory/memory-engine.ts';
import { createApp } from '../../../src/http/app.ts';
import { serverLoad } from '../../../src/http/server-load.ts';
import { createMcpServerMaker } from '../../../src/mcp/create-mcp-server.ts';
import { TOOLPILOT_TOOLS } from '../../../src/mcp/tools/toolpilot.ts';
import { MCP_TOOLS } from '../../../src/mcp/tools/tools.ts';
import { createMemories } from '../../../src/memories/create-memories.ts';
import type { Memories } from '../../../src/memories/memories.ts';
import { type Caller, mayRead } from '../../../src/model/caller.ts';
import { type Entity, type EntityType, idOf, parseEntity } from '../../../src/model/entity.ts';
import { parseWith } from '../../../src/model/parse.ts';
import type { LocalRegistry, ScopedRegistry } from '../../../src/registry/registry.ts';
import { temporaryFolder } from '../../support/engine-fixtures.ts';
import { registryOver } from '../../support/registry-over.ts';
import { WordEmbedder } from '../../support/word-embedder.ts';
import { floodOf } from './flood.ts';
import type { Arrival, World } from './world.ts';

/** Every surface of one registry, as one caller sees it. */
export interface Surfaces {
  readonly registry: ScopedRegistry;
  readonly memories: Memories;
  http(method: string, path: string, body?: unknown): Promise<unknown>;
  mcp(tool: string, input: unknown): Promise<unknown>;
  summary(): Promise<string>;
  /** An entity of the world, hidden or not, the same for the same number. */
  idAt(n: number): { readonly type: EntityType; readonly path: string; readonly id: string };
  /** Sets the clock of writes. */
  at(moment: number): void;
  close(): Promise<void>;
}

/** Two registries that differ only in what the caller may not read. */
export interface TwoWorlds {
  readonly without: Surfaces;
  readonly with: Surfaces;
  readonly hiddenIds: ReadonlySet<string>;
  close(): Promise<void>;
}

const START = Date.UTC(2001, 0, 1);
const TOOLS = new Map([...TOOLPILOT_TOOLS, ...MCP_TOOLS].map((tool) => [tool.name, tool]));

/** The flood is spread among the others, so that rows of the two registries differ. */
function arrivalsOf(world: World): readonly Arrival[] {
  const rest = [...floodOf(world)];
  const all: Arrival[] = rest.splice(0, Math.floor(rest.length / 2));
  for (const [at, arrival] of world.arrivals.entries()) {
    all.push(arrival);
    if (at % (world.flood.every + 1) === 0) all.push(...rest.splice(0, 1));
  }
  return [...all, ...rest];
}

export async function openWorlds(world: World): Promise<TwoWorlds> {
  const caller: Caller = { readers: world.readers };
  const arrivals = arrivalsOf(world);
  const entities = new Map(arrivals.map(({ entity }) => [entity, parseEntity(entity).entity]));
  const isSeen = ({ entity }: Arrival) => mayRead(caller, entities.get(entity)!);
  const hidden = arrivals.filter((arrival) => !isSeen(arrival));
  const without = await openWorld(world, caller, arrivals, isSeen);
  const withHidden = await openWorld(world, caller, arrivals, () => true);
  return {
    without,
    with: withHidden,
    hiddenIds: new Set(hidden.map(({ entity }) => idOf(entities.get(entity) as Entity))),
    async close() {
      await without.close();
      await withHidden.close();
    },
  };
}

async function openWorld(
  world: World,
  caller: Caller,
  arrivals: readonly Arrival[],
  isThere: (arrival: Arrival) => boolean,
): Promise<Surfaces> {
  const embedder = new WordEmbedder();
  const folder = temporaryFolder();
  let moment = START;
  const now = () => new Date(moment);
  const identity = { id: embedder.id, dimensions: embedder.dimensions };
  const engine =
    world.engine === 'memory'
      ? new MemoryEngine({ embedder: identity, now })
      : await openEmbedded({ dir: folder.path, embedder: identity, now, snapshotAfterUnits: 1e9 });
  const all = registryOver(engine, embedder, { now: () => START });
  const at = (second: number) => {
    moment = START + second * 1000;
  };
  // An arrival has its own moment in both registries.
  for (const [second, arrival] of arrivals.entries()) {
    at(second);
    if (isThere(arrival)) await arrive(all, arrival);
  }
  await all.embedPending();
  at(arrivals.length);
  for (const arrival of arrivals) {
    if (arrival.unembedded && isThere(arrival)) {
      await all.put({ ...arrival.entity, description: 'river weather' }, { vectors: 'later' });
    }
  }
  const there = new Set(arrivals.filter(isThere).map(({ entity }) => `${entity.type}:${entity.path}`));
  const edges = world.edges
    .map(({ source, target, ...rest }) => ({ ...rest, source: source.join(':'), target: target.join(':') }))
    .filter(({ source, target }) => there.has(source) && there.has(target));
  await all.putEdges({ edges });

  const memoryService = createMemories(all, { now: () => new Date(START) });
  const memories = memoryService.as(caller);
  const registry = all.as(caller);
  // Every surface asks as this caller.
  const scoped: LocalRegistry = {
    ...registry,
    as: () => registry,
    changes: all.changes,
    watchSearches: all.watchSearches,
    embeddingCache: all.embeddingCache,
    replica: null,
    vectorServer: null,
    close: async () => {},
  };
  const app = createApp({
    registry: scoped,
    version: '0',
    logger: { info() {}, warn() {}, error() {} },
    load: serverLoad(parseSettings({})),
    logQueryText: false,
    loopbackOnly: true,
    openMemories: () => ({
      ...memoryService,
      ...memories,
      as: () => memories,
      follow: () => memoryService.follow(caller),
    }),
  });
  const documents = createDocuments(all).as(caller);
  const catalog = { ...registry, memories, documents };
  const maker = createMcpServerMaker({ catalog, version: '0' }, MCP_TOOLS);
  return {
    registry,
    memories,
    async http(method, path, body) {
      const headers = { host: '127.0.0.1', 'content-type': 'application/json' };
      const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
      const response = await app.request(`http://127.0.0.1${path}`, init);
      const text = await response.text();
      return { status: response.status, etag: response.headers.get('etag'), body: parsed(text) };
    },
    async mcp(tool, input) {
      const { run, input: schema } = TOOLS.get(tool)!;
      return run(catalog, parseWith(schema, input, 'arguments'));
    },
    summary: async () => (await maker.lists()).tools,
    idAt(n) {
      const some = n % 5 === 0 ? arrivals : world.arrivals;
      const { type, path } = some[n % some.length]!.entity;
      return { type, path, id: `${type}:${path}` };
    },
    at: (second) => at(arrivals.length + 1 + second),
    async close() {
      await all.close();
      folder.remove();
    },
  };
}

/** An answer as JSON, so that volatile fields are found in it; `server` of a health report is the load of the process. */
function parsed(text: string): unknown {
  try {
    const { server: _, ...body } = JSON.parse(text) as Record<string, unknown>;
    return Array.isArray(JSON.parse(text)) ? JSON.parse(text) : body;
  } catch {
    return text;
  }
}

async function arrive(registry: LocalRegistry, { entity, source, drifts, dies, rated }: Arrival): Promise<void> {
  if (source === null) await registry.put(entity);
  else {
    const key = { kind: 'mcp', locator: { url: source } } as const;
    const part = `${entity.type} ${entity.path}`;
    const read = (seen: Record<string, unknown>) =>
      registry.observe({
        source: key,
        entities: [{ part, entity: seen }],
        live: true,
        take_over: true,
        reading: { started_at: '2001-01-01T00:00:00.000Z', full: true },
      });
    await read({ ...entity });
    if (drifts)
      await read({ ...entity, tools: [{ name: 'new_tool', description: 'merger' }], skills: [], body: 'new' });
    if (dies) {
      const missing = [{ type: entity.type, path: entity.path, error: 'refused' }];
      await registry.observe({ source: key, entities: [], missing });
    }
  }
  if (rated) await registry.rate(entity.type, entity.path, { rating: 4 }).catch(() => undefined);
}
