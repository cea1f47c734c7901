import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GraphStore } from '../../src/graph/graph-store.ts';
import type { EntityId } from '../../src/model/entity.ts';
import type { Edge } from '../../src/model/entity-parts/edge.ts';

export interface GraphUnderTest {
  readonly name: string;
  /** An empty store. `reopen` gives the same data again; null for a store that keeps nothing. */
  open(): Promise<{ readonly store: GraphStore; readonly reopen: (() => Promise<GraphStore>) | null }>;
}

const node = (name: string) => `tool:/${name}` as EntityId;
export const edge = (source: string, target: string, more: Partial<Edge> = {}): Edge => ({
  source: node(source),
  target: node(target),
  type: 'POPULAR_WITH',
  weight: 1,
  confidence: 1,
  decay: 0,
  verifiedAt: null,
  provenance: 'import:test',
  ...more,
});

/** One suite over every graph store. */
export function graphSuite(subject: GraphUnderTest): void {
  describe(`the graph store ${subject.name}`, () => {
    let opened: Awaited<ReturnType<GraphUnderTest['open']>>;
    beforeEach(async () => {
      opened = await subject.open();
    });
    afterEach(() => opened.store.close());

    const edgesAround = async (name: string) => (await opened.store.around([node(name)]))[0]?.edges ?? [];

    it('follows edges in both directions, strongest first', async () => {
      const strong = edge('c', 'a', { weight: 3, type: 'REQUIRES' });
      const weak = edge('a', 'b', { weight: 2, confidence: 0.5, decay: 0.003, verifiedAt: 1_700_000_000_000 });
      await opened.store.put([weak, strong, edge('x', 'y')]);
      expect(await opened.store.around([node('nobody'), node('a'), node('y')])).toEqual([
        { node: node('a'), edges: [strong, weak], degree: 2, strength: 4 },
        { node: node('y'), edges: [edge('x', 'y')], degree: 1, strength: 1 },
      ]);
    });

    it('replaces an edge with the same ends, type and provenance, and no other', async () => {
      await opened.store.put([
        edge('a', 'b'),
        edge('a', 'b', { type: 'REQUIRES' }),
        edge('a', 'b', { provenance: 'co_use' }),
        edge('b', 'a'),
      ]);
      await opened.store.put([edge('a', 'b', { weight: 9 }), edge('a', 'c'), edge('a', 'c', { weight: 5 })]);
      expect((await edgesAround('a')).map(({ weight }) => weight)).toEqual([9, 5, 1, 1, 1]);
      expect((await opened.store.around([node('a')]))[0]).toMatchObject({ degree: 5, strength: 17 });
    });

    it('keeps to the types, to the nodes and to the limit that are asked for', async () => {
      await opened.store.put([
        edge('a', 'b', { weight: 4 }),
        edge('a', 'c', { weight: 3 }),
        edge('d', 'a', { weight: 2, type: 'REQUIRES' }),
      ]);
      const targets = async (nodes: readonly string[], options: Parameters<GraphStore['around']>[1]) =>
        (await opened.store.around(nodes.map(node), options)).map(({ edges, degree, strength }) => [
          edges.map(({ source, target }) => `${source}>${target}`),
          degree,
          strength,
        ]);
      expect(await targets(['a'], { types: ['REQUIRES'] })).toEqual([[['tool:/d>tool:/a'], 3, 9]]);
      expect(await targets(['a'], { limit: 1 })).toEqual([[['tool:/a>tool:/b'], 3, 9]]);
      expect(await targets(['a', 'c'], { within: true })).toEqual([
        [['tool:/a>tool:/c'], 3, 9],
        [['tool:/a>tool:/c'], 1, 3],
      ]);
    });

    it('deletes by provenance, between two nodes or everywhere', async () => {
      const by = { provenance: 'co_use' };
      await opened.store.put([
        edge('a', 'b', by),
        edge('b', 'a', by),
        edge('a', 'c', by),
        edge('a', 'b'),
        edge('z', 'a', by),
      ]);
      expect(await opened.store.delete({ provenance: 'nobody' })).toBe(0);
      expect(await opened.store.delete({ provenance: 'co_use', between: [node('b'), node('a')] })).toBe(2);
      expect((await edgesAround('a')).map(({ target }) => target)).toEqual([node('b'), node('c'), node('a')]);
      expect(await opened.store.delete({ provenance: 'co_use' })).toBe(2);
      expect(await edgesAround('a')).toEqual([edge('a', 'b')]);
      expect(await edgesAround('z')).toEqual([]);
    });

    it('takes any name', async () => {
      const odd = edge('ü "quoted" \\ #1', "it's `odd` $x {y}", { provenance: 'import:a b.jsonl' });
      await opened.store.put([odd]);
      expect(await edgesAround('ü "quoted" \\ #1')).toEqual([odd]);
    });

    it('has everything when it is opened again', async ({ skip }) => {
      if (opened.reopen === null) skip('it keeps nothing when it is closed');
      const all = [edge('a', 'b', { weight: 2.5, decay: 0.1, verifiedAt: 5 }), edge('b', 'c')];
      await opened.store.put(all);
      await opened.store.delete({ provenance: 'import:test', between: [node('b'), node('c')] });
      const again = await opened.reopen!();
      expect((await again.around([node('b')]))[0]).toEqual({
        node: node('b'),
        edges: [all[0]],
        degree: 1,
        strength: 2.5,
      });
      await again.close();
    });
  });
}
