import { describe, expect, it } from 'vitest';
import { addUpError } from '../../../../test/support/add-up-error.ts';
import { foundUnit, type Lists, rankLists } from '../../../../test/support/rank-lists.ts';
import { EdgeGraph } from '../../../graph/edge-graph.ts';
import { type EntityId, entityId } from '../../../model/entity.ts';
import type { Edge } from '../../../model/entity-parts/edge.ts';
import type { GraphLinks } from '../candidates/graph-links.ts';
import { legacyScores } from './rerank-legacy.ts';

const id = (path: string) => entityId('mcp_server', path);
const edge = (from: string, to: string, more: Partial<Edge> = {}): Edge => ({
  source: id(from),
  target: id(to),
  type: 'POPULAR_WITH',
  weight: 1,
  confidence: 1,
  decay: 0,
  verifiedAt: null,
  provenance: 'test',
  ...more,
});

/** Results by their scores, found by keyword alone. */
const found = (scores: Readonly<Record<string, number>>): Lists => ({
  vector: null,
  keyword: Object.entries(scores).map(([path, keyword]) => foundUnit({ path, keyword })),
});

function linksOf(lists: Lists, edges: readonly Edge[], now = 0): GraphLinks {
  const graph = EdgeGraph.empty();
  for (const one of edges) graph.put(one);
  const nodes = lists.keyword.map(({ entity }) => entity) as EntityId[];
  return { now, around: new Map(graph.around(nodes, { within: true }).map((one) => [one.node, one])) };
}

function order(scores: Readonly<Record<string, number>>, edges: readonly Edge[], preset = 'recommend', now = 0) {
  const lists = found(scores);
  const { page } = rankLists(lists, { request: { preset, explain: true }, links: linksOf(lists, edges, now) });
  for (const { explain, score } of page) {
    const tree = explain!();
    expect(tree.value).toBe(score);
    expect(addUpError(tree)).toBeLessThan(1e-9);
  }
  return page.map(({ entity, score }) => [entity.slice('mcp_server:'.length), score] as const);
}
const paths = (...args: Parameters<typeof order>) => order(...args).map(([path]) => path);

describe('the graph stage of `recommend`', () => {
  const scores = { '/first': 10, '/second': 6, '/third': 5.5, '/tail': 1 };

  it('changes nothing without edges between the results', () => {
    const plain = order(scores, [], 'hybrid');
    expect(order(scores, [])).toEqual(plain);
    expect(order(scores, [edge('/first', '/elsewhere', { weight: 99 })])).toEqual(plain);
  });

  it('raises what is used with the best result past a near tie', () => {
    expect(paths(scores, [edge('/first', '/third', { weight: 5 })])).toEqual(['/first', '/third', '/second', '/tail']);
  });

  it.each(['REPLACES', 'CONFLICTS_WITH'] as const)('takes %s for no affinity', (type) => {
    expect(order(scores, [edge('/third', '/first', { type, weight: 5 })])).toEqual(order(scores, []));
  });

  it('forgets an edge that nobody verified for long', () => {
    const old = edge('/first', '/third', { weight: 5, decay: 0.05, verifiedAt: 0 });
    expect(paths(scores, [old], 'recommend', 0)[1]).toBe('/third');
    expect(paths(scores, [old], 'recommend', 365 * 86_400_000)[1]).toBe('/second');
  });

  it('never lets a popular hub that is off topic into the first three', () => {
    const topic = { '/a': 10, '/b': 9, '/c': 8, '/d': 7, '/hub': 1 };
    const many = Array.from({ length: 500 }, (_, i) => edge('/hub', `/other-${i}`, { weight: 9 }));
    const onTopic = ['/a', '/b', '/c', '/d'].map((path) => edge(path, '/hub', { weight: 9 }));
    expect(paths(topic, [...many, ...onTopic]).slice(0, 3)).toEqual(['/a', '/b', '/c']);
  });

  it('lets relevance be the gate: what hardly matches gains little, however connected it is', () => {
    const topic = { '/a': 10, '/b': 5, '/c': 4.8, '/d': 4.6, '/off': 2, '/tail': 1 };
    const edges = ['/a', '/b', '/c', '/d'].map((path) => edge(path, '/off', { weight: 9 }));
    expect(paths(topic, edges).slice(0, 3)).toEqual(['/a', '/b', '/c']);
  });

  it('takes an edge to a hub for less than one to a thing with few edges', () => {
    const topic = { '/a': 10, '/b': 6.4, '/c': 6.35, '/d': 6.3, '/known': 4.15, '/tail': 1 };
    const onTopic = [edge('/a', '/known', { weight: 9 })];
    const elsewhere = Array.from({ length: 500 }, (_, i) => edge('/known', `/other-${i}`));
    expect(paths(topic, onTopic).slice(0, 3)).toContain('/known');
    expect(paths(topic, [...onTopic, ...elsewhere]).slice(0, 3)).toEqual(['/a', '/b', '/c']);
  });

  it('raises a hub the less the more edges it has, and not at all from 200 on', () => {
    // Behind the first ten, whose neighbors gain: it raises none of them in turn.
    const first = Array.from({ length: 10 }, (_, i) => [`/topic-${i}`, 10 - i / 10] as const);
    const topic = { ...Object.fromEntries(first), '/known': 6, '/tail': 1 };
    const onTopic = first.slice(0, 3).map(([path]) => edge(path, '/known'));
    const score = (degree: number) => {
      const others = Array.from({ length: degree - onTopic.length }, (_, i) => edge('/known', `/other-${i}`));
      return order(topic, [...onTopic, ...others]).find(([path]) => path === '/known')![1];
    };
    const plain = order(topic, []).find(([path]) => path === '/known')![1];
    expect(score(3)).toBe(score(100));
    expect([score(100) > score(101), score(101) > score(150), score(150) > score(199)]).toEqual([true, true, true]);
    expect([score(199) > plain, score(200), score(900)]).toEqual([true, plain, plain]);
  });

  it('raises no result by more than its share of the best score', () => {
    const edges = ['/first', '/second'].map((path) => edge(path, '/third', { weight: 1e9 }));
    const [[, best], , [, last]] = order({ '/first': 10, '/second': 8, '/third': 3 }, edges) as [
      readonly [string, number],
      unknown,
      readonly [string, number],
    ];
    expect(last / best).toBeLessThanOrEqual(0.3 + 0.45);
  });
});

describe('the graph stage of `recommend-legacy`', () => {
  it.each([
    [
      [0, 1.1, 0.3],
      [1, 0.5, 1 / 3],
      [0.4, 0.8, 0.297],
    ],
    [
      [0.1, 0.2, 0],
      [1, 0.5, 1 / 3],
      [0.46, 0.32, 0.133],
    ],
  ])('TP-4: edges %j and places %j give %j', (graph, relevance, expected) => {
    expect(legacyScores(graph, relevance).map((score) => Number(score.toFixed(3)))).toEqual(expected);
  });

  it('lets the graph win over relevance, as ToolPilot does', () => {
    const scores = { '/first': 10, '/second': 6, '/third': 5.5, '/tail': 1 };
    const edges = [edge('/second', '/third', { type: 'REPLACES' })];
    expect(paths(scores, edges, 'recommend-legacy')).toEqual(['/second', '/third', '/first', '/tail']);
    expect(paths(scores, [], 'recommend-legacy')).toEqual(['/first', '/second', '/third', '/tail']);
  });
});
