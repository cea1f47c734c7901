import { setImmediate } from 'node:timers/promises';
import type { Store, StoredEntity } from '../../engines/store.ts';
import { EntityGraph } from '../../graph/entity-graph.ts';
import type { GraphStore } from '../../graph/graph-store.ts';
import { serversOfTool } from '../../graph/tool-node.ts';
import type { EntityId } from '../../model/entity.ts';
import { compareEdges, type Edge, type EdgeType, type Surroundings } from '../../model/entity-parts/edge.ts';
import { toDowserError } from '../../model/errors/errors.ts';
import { CO_USE } from '../../recommend/co-use.ts';
import { scanPages } from '../view/scan-records.ts';
import { resolveNodes } from './resolve-nodes.ts';

/**
 * When each entity was registered. What was learned before is about another entity, which was deleted, and says nothing
 * about the one that is at its path now.
 */
class RegistrationTimes {
  /** As stored: only those of learned edges are ever parsed. */
  readonly #times = new Map<EntityId, string>();

  set({ id, createdAt }: Pick<StoredEntity, 'id' | 'createdAt'>): void {
    this.#times.set(id, createdAt);
  }

  delete(id: EntityId): void {
    this.#times.delete(id);
  }

  /** The same surroundings without what was learned about predecessors. */
  withoutPredecessors(around: readonly Surroundings[]): readonly Surroundings[] {
    return around.map((one) => {
      if (!one.edges.some((edge) => this.#isStale(edge))) return one;
      const stale = one.edges.filter((edge) => this.#isStale(edge));
      return {
        node: one.node,
        edges: one.edges.filter((edge) => !stale.includes(edge)),
        degree: one.degree - stale.length,
        strength: Math.max(0, one.strength - stale.reduce((sum, edge) => sum + edge.weight * edge.confidence, 0)),
      };
    });
  }

  #isStale({ provenance, verifiedAt, source, target }: Edge): boolean {
    return provenance === CO_USE && (verifiedAt ?? 0) < Math.max(this.#since(source), this.#since(target));
  }

  /** A tool of a server is as old as its server. */
  #since(node: EntityId): number {
    const own = this.#times.get(node);
    if (own !== undefined) return Date.parse(own);
    for (const { server } of serversOfTool(node)) {
      const since = this.#times.get(server);
      if (since !== undefined) return Date.parse(since);
    }
    return 0;
  }
}

/** What was found, and what is missing because a graph store did not answer. */
export interface GraphAnswer {
  readonly around: ReadonlyMap<EntityId, Surroundings>;
  readonly warning: string | null;
}

export interface GraphViewOptions {
  /** Between slices that no question waits for. */
  readonly pauseMs?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface Followed {
  readonly graph: EntityGraph;
  readonly times: RegistrationTimes;
  revision: number;
}

/**
 * All edges: those of the graph store, and those of entities, which are read once and then follow the change log. Everything is
 * read in small slices, so that no other request waits long.
 */
export class GraphView {
  readonly #store: Store;
  readonly #graph: GraphStore;
  readonly #pauseMs: number;
  readonly #now: () => number;
  /** The last failure of the graph store. */
  #failed: { readonly warning: string; readonly at: number } | null = null;
  #followed: Promise<Followed> | null = null;
  /** Questions that wait for the entities. */
  #waiting = 0;
  /** Ends the pause of a background reading. */
  #wake: () => void = () => {};

  constructor(store: Store, graph: GraphStore, { pauseMs = PAUSE_MS, now = Date.now }: GraphViewOptions = {}) {
    this.#store = store;
    this.#graph = graph;
    this.#pauseMs = pauseMs;
    this.#now = now;
  }

  /** Reads everything with pauses, so that the first question finds it read. Never throws: a question reads again. */
  async prepare(): Promise<void> {
    await this.#current().catch(() => undefined);
    await this.#graph.around([]).catch(() => undefined);
  }

  /**
   * Stated edges between these nodes: given, imported or learned. Only these may change the order of results. Hidden nodes do
   * not exist, also not for degrees and strengths.
   */
  async between(nodes: readonly EntityId[], reader: Reader): Promise<GraphAnswer> {
    const { graph: entities, times } = await this.#entities();
    const options = reader.readers === undefined ? { within: true, limit: MAX_EDGES } : ALL_EDGES;
    const { stored, warning } = await this.#stored(nodes, times, options);
    const all = merged(nodes, stored, (node) => entities.given(node));
    const among = new Set(nodes);
    const isWithin = ({ source, target }: Edge) => among.has(source) && among.has(target);
    const seen = reader.readers === undefined ? all : await withoutHidden(all, reader.store);
    return { around: new Map([...seen].map(([node, one]) => [node, keepEdges(one, isWithin)])), warning };
  }

  /** All edges of these nodes, also those that follow from entities. */
  async around(nodes: readonly EntityId[], options: EdgesWanted, reader: Reader): Promise<GraphAnswer> {
    const { types, limit } = options;
    const caller = { readers: reader.readers ?? null };
    const { graph: entities, times } = await this.#entities();
    const { stored, warning } = await this.#stored(nodes, times, { ...edgesFor(reader), types });
    const all = merged(nodes, stored, (node) => {
      return [...entities.given(node), ...entities.derived(node, caller)].filter(({ type }) => types.includes(type));
    });
    const seen = reader.readers === undefined ? all : await withoutHidden(all, reader.store);
    const cut = [...seen].map(([node, one]) => [node, { ...one, edges: one.edges.slice(0, limit) }] as const);
    return { around: new Map(cut), warning };
  }

  /** A question asks several times. It must not wait each time for a store that has just failed. */
  async #stored(nodes: readonly EntityId[], times: RegistrationTimes, options: Parameters<GraphStore['around']>[1]) {
    if (this.#failed !== null && this.#now() - this.#failed.at < RETRY_MS) {
      return { stored: [], warning: this.#failed.warning };
    }
    try {
      const stored = times.withoutPredecessors(await this.#graph.around(nodes, options));
      this.#failed = null;
      return { stored, warning: null };
    } catch (thrown) {
      const { code, message } = toDowserError(thrown);
      const warning = `The graph is not available (${code}: ${message}); the answer is without its edges.`;
      this.#failed = { warning, at: this.#now() };
      return { stored: [], warning };
    }
  }

  async #entities(): Promise<Followed> {
    this.#waiting += 1;
    this.#wake();
    try {
      return await this.#current();
    } finally {
      this.#waiting -= 1;
    }
  }

  async #current(): Promise<Followed> {
    this.#followed = (this.#followed ?? this.#read()).then(
      (followed) => this.#keepUp(followed),
      () => this.#read(),
    );
    return this.#followed;
  }

  async #read(): Promise<Followed> {
    const { revision } = this.#store.changes(null);
    const followed = { graph: new EntityGraph(), times: new RegistrationTimes(), revision };
    for await (const slice of scanPages(this.#store, SLICE)) {
      for (const stored of slice) follow(followed, stored);
      await this.#pause();
    }
    return followed;
  }

  async #keepUp(followed: Followed): Promise<Followed> {
    const { revision, ids } = this.#store.changes(followed.revision);
    if (ids === null) return this.#read();
    const changed = [...new Set(ids)];
    for (let at = 0; at < changed.length; at += SLICE) {
      if (at > 0) await setImmediate();
      const slice = changed.slice(at, at + SLICE);
      const found = await this.#store.getMany(slice);
      for (const id of slice) {
        followed.graph.delete(id);
        followed.times.delete(id);
      }
      for (const stored of found) follow(followed, stored);
    }
    followed.revision = revision;
    return followed;
  }

  /** Leaves the time to others, unless a question waits for the graph. */
  async #pause(): Promise<void> {
    if (this.#waiting > 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#pauseMs);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function follow({ graph, times }: Followed, stored: StoredEntity): void {
  graph.set(stored.entity);
  times.set(stored);
}

/** How soon a graph store that failed is asked again. */
const RETRY_MS = 250;

/** Entities read at once: about 5 ms. Other requests are answered in between. */
const SLICE = 100;

/** Between slices that no question waits for. */
const PAUSE_MS = 10;

/** More edges of one node say nothing more. */
const MAX_EDGES = 200;

/** Stored and own edges together. */
const MAX_KEPT = 2 * MAX_EDGES;

/** For a restricted reader: hidden edges must not take the places of others. */
const ALL_EDGES = { limit: Number.MAX_SAFE_INTEGER } as const;

/** Who asks: the store as they may read it, and their reader keys. Undefined: no restriction. */
export interface Reader {
  readonly store: Pick<Store, 'getMany'>;
  readonly readers: readonly string[] | undefined;
}

export interface EdgesWanted {
  readonly types: readonly EdgeType[];
  /** The most edges of each node. */
  readonly limit: number;
}

type Around = ReadonlyMap<EntityId, Surroundings>;

function merged(
  nodes: readonly EntityId[],
  stored: readonly Surroundings[],
  ownOf: (node: EntityId) => readonly Edge[],
): Around {
  const around = new Map(stored.map((one) => [one.node, one]));
  for (const node of nodes) {
    const own = ownOf(node);
    if (own.length === 0) continue;
    const { edges = [], degree = 0, strength = 0 } = around.get(node) ?? {};
    around.set(node, {
      node,
      edges: [...edges, ...own].sort(compareEdges),
      degree: degree + own.length,
      strength: strength + strengthOf(own),
    });
  }
  return around;
}

const strengthOf = (edges: readonly Edge[]) =>
  edges.reduce((sum, { weight, confidence }) => sum + weight * confidence, 0);

const keepEdges = (one: Surroundings, isKept: (edge: Edge) => boolean): Surroundings => ({
  ...one,
  edges: one.edges.filter(isKept).slice(0, MAX_KEPT),
});

const edgesFor = ({ readers }: Reader) => (readers === undefined ? { limit: MAX_EDGES } : ALL_EDGES);

async function withoutHidden(around: Around, readable: Pick<Store, 'getMany'>): Promise<Around> {
  const ends = new Set<EntityId>();
  for (const { edges } of around.values()) for (const { source, target } of edges) ends.add(source).add(target);
  const known = await resolveNodes(readable, [...ends]);
  const seen = new Map<EntityId, Surroundings>();
  for (const [node, one] of around) {
    const edges = one.edges.filter(({ source, target }) => known.has(source) && known.has(target));
    seen.set(node, { node, edges, degree: edges.length, strength: strengthOf(edges) });
  }
  return seen;
}
