import { createDocuments } from '../../../src/documents/create-documents.ts';
import { openEmbedded } from '../../../src/engines/embedded/open-embedded.ts';
import { MemoryEngine } from '../../../src/engines/memory/memory-engine.ts';
import { createMcpServerMaker } from '../../../src/mcp/server/create-mcp-server.ts';
import { TOOLPILOT_TOOLS } from '../../../src/mcp/tools/toolpilot.ts';
import { MCP_TOOLS } from '../../../src/mcp/tools/tools.ts';
import { createMemories } from '../../../src/memories/create-memories.ts';
import type { Memories } from '../../../src/memories/memories.ts';
import type { MemoryEvent } from '../../../src/memories/parts/memory-events.ts';
import type { Caller } from '../../../src/model/caller/caller.ts';
import { type Entity, idOf, parseEntity, splitEntityId } from '../../../src/model/entity.ts';
import { parseWith } from '../../../src/model/parse/parse.ts';
import type { ScopedRegistry } from '../../../src/registry/contract/registry.ts';
import { temporaryFolder } from '../../support/engine-fixtures.ts';
import { registryOver } from '../../support/registry-over.ts';
import { WordEmbedder } from '../../support/word-embedder.ts';
import { type AskedPaths, askedPaths } from './asked-paths.ts';
import { arrive, disturb, fillCollections, fillMemories, type Sees, seesOf } from './fill-world.ts';
import { floodOf } from './flood.ts';
import { type Ask, serveWorld } from './serve-world.ts';
import type { Arrival, World } from './world.ts';

/** Every surface of one registry, as one caller sees it. */
export interface Surfaces extends AskedPaths {
  readonly caller: Caller;
  readonly registry: ScopedRegistry;
  readonly memories: Memories;
  readonly http: Ask;
  mcp(tool: string, input: unknown): Promise<unknown>;
  summary(): Promise<string>;
  /** What the caller is told of memories while others, and then it, store some. */
  events(content: string): Promise<readonly unknown[]>;
  /** Sets the clock of writes. */
  at(moment: number): void;
  /** Others change what the caller may not read. Nothing happens in the registry without a hidden part. */
  disturb(n: number): Promise<void>;
  /** Removes an entity that only one of the registries could take. */
  undo(id: string): Promise<void>;
  /** Embeds every unit that waits for a vector. */
  embed(): Promise<void>;
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
  const arrivals = arrivalsOf(world);
  const sees = seesOf(world.caller);
  const hidden = arrivals.filter(({ entity }) => !sees(reachOf(entity)));
  const without = await openWorld(world, arrivals, sees);
  const withHidden = await openWorld(world, arrivals, () => true);
  return {
    without,
    with: withHidden,
    hiddenIds: new Set(hidden.map(({ entity }) => idOf(parseEntity(entity).entity as Entity))),
    async close() {
      await without.close();
      await withHidden.close();
    },
  };
}

function reachOf(input: Arrival['entity']): object {
  const { visibility, owner, allowed_groups } = parseEntity(input).entity;
  return { visibility, owner, allowed_groups };
}

async function openWorld(world: World, arrivals: readonly Arrival[], sees: Sees): Promise<Surfaces> {
  const { caller } = world;
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
  const isThere = ({ entity }: Arrival) => sees(reachOf(entity));
  // An arrival has its own moment in both registries.
  for (const [second, arrival] of arrivals.entries()) {
    at(second);
    if (isThere(arrival)) await arrive(all, sees, arrival);
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
  await fillCollections(all, sees, world);
  await fillMemories(memoryService, sees, world);
  const isWhole = sees({ visibility: 'private', owner: 'carol' });

  const registry = all.as(caller);
  const memories = memoryService.as(caller);
  const catalog = { ...registry, memories, documents: createDocuments(all).as(caller) };
  const maker = createMcpServerMaker({ catalog, version: '0' }, MCP_TOOLS);
  const disturbed = async (n: number) => {
    if (isWhole) await disturb(all, memoryService, n);
  };
  return {
    ...askedPaths(world, arrivals),
    caller,
    registry,
    memories,
    http: serveWorld(all, memoryService, caller),
    async mcp(tool, input) {
      const { run, input: schema } = TOOLS.get(tool)!;
      return run(catalog, parseWith(schema, input, 'arguments'));
    },
    summary: async () => (await maker.lists()).tools,
    async events(content) {
      const followed = memoryService.follow(caller);
      await disturbed(0);
      await memoryService.store({ content });
      await memories.search({ query: content });
      return received(followed);
    },
    at: (second) => at(arrivals.length + 1 + second),
    disturb: disturbed,
    async undo(id) {
      const { type, path } = splitEntityId(id as ReturnType<typeof idOf>);
      await all.delete(type, path);
    },
    async embed() {
      await all.embedPending();
    },
    async close() {
      await all.close();
      folder.remove();
    },
  };
}

/** The events that are there already: up to the one that is still to come. */
async function received(events: AsyncIterableIterator<MemoryEvent>): Promise<readonly MemoryEvent[]> {
  const found: MemoryEvent[] = [];
  const none = Symbol('none');
  for (;;) {
    const waiting = new Promise<typeof none>((resolve) => setImmediate(() => resolve(none)));
    const next = await Promise.race([events.next(), waiting]);
    if (next === none || next.done === true) break;
    found.push(next.value);
  }
  await events.return?.();
  return found;
}
