import type { z } from 'zod';
import { type EntityId, entityId, splitEntityId } from '../../model/entity.ts';
import type { Edge } from '../../model/entity-parts/edge.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { parseWith } from '../../model/parse/parse.ts';
import type { ViewRow } from '../../registry/contract/registry.ts';
import {
  type MemoryEdge,
  type MemoryGraphAnswer,
  type MemoryGraphRequest,
  type MemoryRelation,
  memoryGraphSchema,
} from '../contract/memory-graph-schemas.ts';
import { findMemory } from '../find/find-memory.ts';
import type { MemoryParts } from '../parts/memory-parts.ts';
import { inferRelations, suggestRelations } from './likely-relations.ts';

/** One question looks at no more memories than this. */
export const MAX_GRAPH_NODES = 500;
const MAX_GRAPH_EDGES = 2000;

/** Derived from tags and names: likely, not stated. `infer` has them. */
const LIKELY: readonly string[] = ['tag', 'mention'];

type Request = z.output<typeof memoryGraphSchema>;

/** How memories relate. Hidden and forgotten ones are no nodes, and no way leads over them. */
export async function memoryGraph(parts: MemoryParts, input: MemoryGraphRequest): Promise<MemoryGraphAnswer> {
  const request = parseWith(memoryGraphSchema, input, 'request');
  const find = async (field: 'hash' | 'hash1' | 'hash2') =>
    entityId('memory', (await findMemory(parts, needed(request, field), field)).entity.path);
  if (request.action === 'path') return pathBetween(parts, request, await find('hash1'), await find('hash2'));
  const start = await find('hash');
  const walk = new Walk(parts, await nodesOf(parts), request.rel_type);
  const hash = walk.hashOf(start);
  switch (request.action) {
    case 'connected': {
      const distances = await walk.reach(start, request.max_hops);
      const connected = [...distances]
        .filter(([id]) => id !== start)
        .map(([id, distance]) => ({ hash: walk.hashOf(id), distance }));
      return { success: true, action: 'connected', hash, connected, count: connected.length, warnings: walk.warnings };
    }
    case 'subgraph': {
      const inside = await walk.reach(start, request.radius);
      const edges = await walk.edgesAmong(inside);
      const nodes = [...inside.keys()].map((id) => walk.hashOf(id));
      const counts = { node_count: nodes.length, edge_count: edges.length };
      return { success: true, action: 'subgraph', hash, nodes, edges, ...counts, warnings: walk.warnings };
    }
    case 'infer': {
      const { edges, warnings } = await walk.likely(start);
      const inferred = inferRelations(walk.nodes, start, edges);
      return { success: true, action: 'infer', hash, inferred, count: inferred.length, warnings };
    }
    case 'suggest': {
      const known = new Set((await walk.reach(start, 1)).keys());
      const suggestions = await suggestRelations(parts, splitEntityId(start).path, known);
      return {
        success: true,
        action: 'suggest',
        hash,
        suggestions,
        count: suggestions.length,
        warnings: walk.warnings,
      };
    }
  }
}

function needed(request: Request, field: 'hash' | 'hash1' | 'hash2'): string {
  const value = request[field];
  if (value !== undefined) return value;
  throw new DowserError('INVALID_REQUEST', `'${field}' is missing: the action '${request.action}' needs it.`, {
    field,
    hint: 'Give the hash of a memory, or its first 8 characters or more.',
  });
}

type Nodes = ReadonlyMap<EntityId, ViewRow>;

async function nodesOf({ registry }: MemoryParts): Promise<Nodes> {
  const rows = await registry.rows('memory');
  return new Map(rows.filter(({ is_enabled }) => is_enabled).map((row) => [row.id, row]));
}

async function pathBetween(
  parts: MemoryParts,
  { max_depth, rel_type }: Request,
  from: EntityId,
  to: EntityId,
): Promise<MemoryGraphAnswer> {
  const walk = new Walk(parts, await nodesOf(parts), rel_type);
  await walk.reach(from, max_depth, to);
  const path: string[] = [];
  for (let at: EntityId | undefined = to; at !== undefined; at = walk.before.get(at)) path.unshift(walk.hashOf(at));
  const isFound = from === to || walk.before.has(to);
  const none = `No path of at most ${max_depth} steps was found.`;
  return {
    success: true,
    action: 'path',
    path: isFound ? path : null,
    length: isFound ? path.length : 0,
    warnings: isFound ? walk.warnings : [...walk.warnings, none],
  };
}

/** Follows relations from memory to memory, all of one distance at a time. */
class Walk {
  readonly nodes: Nodes;
  /** The memory from which each was reached. */
  readonly before = new Map<EntityId, EntityId>();
  readonly #parts: MemoryParts;
  readonly #relation: MemoryRelation | undefined;
  readonly #warnings = new Set<string>();

  constructor(parts: MemoryParts, nodes: Nodes, relation: MemoryRelation | undefined) {
    this.#parts = parts;
    this.nodes = nodes;
    this.#relation = relation;
  }

  get warnings(): string[] {
    return [...this.#warnings];
  }

  /** The content hash, or the path of a memory without one. */
  hashOf(id: EntityId): string {
    return this.nodes.get(id)?.memory?.hash ?? splitEntityId(id).path;
  }

  /** What is at most so many steps away, with its distance, nearest first. Stops at `target`. */
  async reach(start: EntityId, steps: number, target?: EntityId): Promise<ReadonlyMap<EntityId, number>> {
    const distances = new Map([[start, 0]]);
    let last: EntityId[] = [start];
    for (let step = 1; step <= steps && last.length > 0 && !distances.has(target ?? ('' as EntityId)); step++) {
      const edges = await this.#edges(last);
      const next: EntityId[] = [];
      for (const { source, target: end } of edges) {
        for (const [here, there] of [
          [source, end],
          [end, source],
        ] as const) {
          if (distances.get(here) !== step - 1 || distances.has(there)) continue;
          if (distances.size >= MAX_GRAPH_NODES) {
            this.#warnings.add(`Only the nearest ${MAX_GRAPH_NODES} memories were looked at.`);
            return distances;
          }
          distances.set(there, step);
          this.before.set(there, here);
          next.push(there);
        }
      }
      last = next;
    }
    return distances;
  }

  async edgesAmong(inside: ReadonlyMap<EntityId, unknown>): Promise<MemoryEdge[]> {
    const all = (await this.#edges([...inside.keys()])).filter(
      (edge) => inside.has(edge.source) && inside.has(edge.target),
    );
    if (all.length > MAX_GRAPH_EDGES) this.#warnings.add(`Only ${MAX_GRAPH_EDGES} of ${all.length} edges are shown.`);
    return all.slice(0, MAX_GRAPH_EDGES).map((edge) => ({
      source: this.hashOf(edge.source),
      target: this.hashOf(edge.target),
      relation: relationOf(edge),
      weight: edge.weight,
      confidence: edge.confidence,
      provenance: edge.provenance,
    }));
  }

  /** Edges that follow from tags and names. */
  async likely(id: EntityId): Promise<{ readonly edges: readonly Edge[]; readonly warnings: string[] }> {
    const { edges, warnings } = await this.#parts.registry.edgesOf('memory', [splitEntityId(id).path]);
    const likely = edges.filter((edge) => LIKELY.includes(edge.provenance) && this.#isBetweenNodes(edge));
    return { edges: likely, warnings: [...warnings] };
  }

  async #edges(ids: readonly EntityId[]): Promise<readonly Edge[]> {
    const { edges, warnings } = await this.#parts.registry.edgesOf(
      'memory',
      ids.map((id) => splitEntityId(id).path),
    );
    for (const warning of warnings) this.#warnings.add(warning);
    return edges.filter((edge) => {
      const isWanted = this.#relation === undefined || relationOf(edge) === this.#relation;
      return isWanted && !LIKELY.includes(edge.provenance) && this.#isBetweenNodes(edge);
    });
  }

  #isBetweenNodes({ source, target }: Edge): boolean {
    return this.nodes.has(source) && this.nodes.has(target);
  }
}

function relationOf({ type, provenance }: Edge): MemoryRelation {
  if (provenance === 'supersede') return 'supersedes';
  return provenance === 'lineage' ? 'derived_from' : (type.toLowerCase() as MemoryRelation);
}
