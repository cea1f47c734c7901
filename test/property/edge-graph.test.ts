import fc from 'fast-check';
import { expect, it } from 'vitest';
import { atOnce } from '../../src/engines/in-slices.ts';
import { edgeColumns } from '../../src/engines/memory/memory-engine.ts';
import { EdgeGraph } from '../../src/graph/edge-graph.ts';
import type { EntityId } from '../../src/model/entity.ts';
import { compareEdges, EDGE_TYPES, type Edge } from '../../src/model/entity-parts/edge.ts';

const NODES = ['tool:/a', 'tool:/b', 'tool:/c', 'tool:/d'] as EntityId[];
const BY = ['import:x', 'co_use'];

const edge: fc.Arbitrary<Edge> = fc.record({
  source: fc.constantFrom(...NODES),
  target: fc.constantFrom(...NODES),
  type: fc.constantFrom(...EDGE_TYPES.slice(0, 3)),
  weight: fc.integer({ min: 0, max: 8 }),
  confidence: fc.constantFrom(0, 0.5, 1),
  decay: fc.constantFrom(0, 0.25),
  verifiedAt: fc.constantFrom(null, 0, 86_400_000),
  provenance: fc.constantFrom(...BY),
});
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ put: edge }) },
  fc.record({ delete: fc.constantFrom(...BY), between: fc.option(fc.tuple(edge, edge)) }),
);

const keyOf = ({ source, target, type, provenance }: Edge) => `${source} ${target} ${type} ${provenance}`;
const byEdge = (a: Edge, b: Edge) => compareEdges(a, b);

it('answers as a list of edges would, after any writes, filled at once or one by one', () => {
  fc.assert(
    fc.property(fc.array(edge), fc.array(step, { maxLength: 30 }), (first, steps) => {
      const held = new Map(first.map((one) => [keyOf(one), one]));
      const graph = atOnce(EdgeGraph.of(edgeColumns([...held.values()])));
      for (const one of steps) {
        if ('put' in one) {
          held.set(keyOf(one.put), one.put);
          graph.put(one.put);
          continue;
        }
        const between = one.between === null ? undefined : ([one.between[0].source, one.between[1].target] as const);
        for (const [key, { source, target, provenance }] of held) {
          const isMeant = between === undefined || (between.includes(source) && between.includes(target));
          if (provenance === one.delete && isMeant) held.delete(key);
        }
        graph.delete({ provenance: one.delete, between });
      }
      for (const node of NODES) {
        const out = [...held.values()].filter(({ source }) => source === node);
        const into = [...held.values()].filter(({ target }) => target === node);
        const all = [...out, ...into];
        const [found] = graph.around([node], { limit: 1000 });
        expect(found?.edges ?? []).toEqual(all.sort(byEdge));
        expect(found?.degree ?? 0).toBe(all.length);
        expect(found?.strength ?? 0).toBeCloseTo(
          all.reduce((sum, { weight, confidence }) => sum + weight * confidence, 0),
        );
      }
    }),
  );
});
