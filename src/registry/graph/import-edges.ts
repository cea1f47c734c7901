import type { Store } from '../../engines/store.ts';
import type { GraphStore } from '../../graph/graph-store.ts';
import type { EntityId } from '../../model/entity.ts';
import { type Edge, verifiedAtOf } from '../../model/entity-parts/edge.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { parseWith, showValue } from '../../model/parse/parse.ts';
import {
  type EdgeBatch,
  type EdgesReport,
  edgeBatchSchema,
  edgeInputSchema,
  MAX_NAMED_SKIPS,
} from '../contract/edge-operations.ts';
import { idsFor } from './nodes-named.ts';
import { resolveNodes } from './resolve-nodes.ts';

/** Names that other collections have for these relations. */
const OTHER_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(?:precedes|parameter_link)$/i, 'PRODUCES_FOR'],
  [/^(?:co_used|co_occurs)/i, 'POPULAR_WITH'],
  [/depends_on$/i, 'REQUIRES'],
  [/^mentions/i, 'INTEGRATES_WITH'],
  [/^(?:same_|shared_|in_)/i, 'RELATED_TO'],
];

function withOwnName(input: unknown): unknown {
  if (!isJsonObject(input) || typeof input.type !== 'string') return input;
  const { type } = input;
  const own = OTHER_NAMES.find(([name]) => name.test(type))?.[1];
  return own === undefined ? input : { ...input, type: own };
}

interface Parsed {
  readonly index: number;
  readonly input: ReturnType<typeof edgeInputSchema.parse>;
}

export async function importEdges(store: Store, graph: GraphStore, batch: EdgeBatch): Promise<EdgesReport> {
  const { edges: inputs, provenance } = parseWith(edgeBatchSchema, batch, 'batch of edges');
  const skipped: { index: number; message: string }[] = [];
  const parsed: Parsed[] = [];
  for (const [index, input] of inputs.entries()) {
    try {
      parsed.push({ index, input: parseWith(edgeInputSchema, withOwnName(input), 'edge') });
    } catch (thrown) {
      if (!(thrown instanceof DowserError)) throw thrown;
      skipped.push({ index, message: thrown.message });
    }
  }
  const nodes = await nodesFound(
    store,
    parsed.flatMap(({ input: { source, target } }) => [source, target]),
  );
  const edges: Edge[] = [];
  for (const { index, input } of parsed) {
    const source = nodes.get(input.source);
    const target = nodes.get(input.target);
    if (source === undefined || target === undefined) {
      const missing = source === undefined ? input.source : input.target;
      skipped.push({ index, message: `There is no entity ${showValue(missing)}.` });
    } else if (source === target)
      skipped.push({ index, message: `The edge leads from ${showValue(input.source)} to itself.` });
    else {
      const { type, weight, confidence, decay } = input;
      edges.push({ source, target, type, weight, confidence, decay, verifiedAt: verifiedAtOf(input), provenance });
    }
  }
  if (edges.length > 0) await graph.put(edges);
  skipped.sort((a, b) => a.index - b.index);
  return { stored: edges.length, skipped: skipped.length, first_skipped: skipped.slice(0, MAX_NAMED_SKIPS) };
}

/** The nodes that these names mean: ids, or paths of any type, with or without their slash. */
async function nodesFound(store: Store, names: readonly string[]): Promise<ReadonlyMap<string, EntityId>> {
  const possible = new Map<string, readonly EntityId[]>();
  for (const name of names) if (!possible.has(name)) possible.set(name, idsFor(name));
  const known = await resolveNodes(store, [...possible.values()].flat());
  const nodes = new Map<string, EntityId>();
  for (const [name, ids] of possible) {
    const found = ids.find((id) => known.has(id));
    if (found !== undefined) nodes.set(name, found);
  }
  return nodes;
}
