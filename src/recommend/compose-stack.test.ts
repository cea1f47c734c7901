import { describe, expect, it } from 'vitest';
import type { EntityId } from '../model/entity.ts';
import type { Edge, EdgeType } from '../model/entity-parts/edge.ts';
import { compatibilityOf, type PeerFact } from './compatibility.ts';
import { composeStack, needsIn } from './compose-stack.ts';

const id = (name: string) => `package:/${name}` as EntityId;
const edge = (source: string, target: string, type: EdgeType): Edge => ({
  source: id(source),
  target: id(target),
  type,
  weight: 1,
  confidence: 1,
  decay: 0,
  verifiedAt: null,
  provenance: 'given',
});
const layer = (...scored: readonly (readonly [string, number])[]) =>
  scored.map(([name, score]) => ({ node: id(name), score }));

function chosen(
  layers: Parameters<typeof composeStack>[0],
  edges: readonly Edge[] = [],
  { existing = [], excluded = '' }: { existing?: readonly string[]; excluded?: string } = {},
): (string | null)[] {
  const between = (a: EntityId, b: EntityId) =>
    edges.filter(({ source, target }) => (source === a && target === b) || (source === b && target === a));
  const versionsConflict = (a: EntityId, b: EntityId) => excluded === `${a} ${b}`;
  const pairs = { between, versionsConflict };
  return composeStack(layers, pairs, 0, existing.map(id)).map((one) => one?.node.slice('package:/'.length) ?? null);
}

describe('a stack (TP-10)', () => {
  const auth = layer(['auth0', 1], ['clerk', 0.9]);
  const data = layer(['mysql', 1], ['postgres', 0.95]);

  it('is the best of each layer where nothing is known of them', () => {
    expect(chosen([auth, data])).toEqual(['auth0', 'mysql']);
  });

  it('lets an integration break a near tie', () => {
    expect(chosen([auth, data], [edge('postgres', 'auth0', 'INTEGRATES_WITH')])).toEqual(['auth0', 'postgres']);
  });

  it('avoids what conflicts with a choice or replaces it, and the same choice twice', () => {
    expect(chosen([auth, data], [edge('auth0', 'mysql', 'CONFLICTS_WITH')])).toEqual(['auth0', 'postgres']);
    expect(chosen([auth, auth], [edge('clerk', 'auth0', 'REPLACES')])).toEqual(['auth0', 'auth0']);
    expect(chosen([auth, auth])).toEqual(['auth0', 'clerk']);
  });

  it('avoids what does not fit what is there already, or the versions of a choice', () => {
    const layers = [layer(['mysql', 0.9], ['pg', 0.8])];
    const conflict = edge('old', 'mysql', 'CONFLICTS_WITH');
    expect(chosen(layers, [conflict])).toEqual(['mysql']);
    expect(chosen(layers, [conflict], { existing: ['old'] })).toEqual(['pg']);
    expect(chosen(layers, [], { existing: ['old'], excluded: `${id('mysql')} ${id('old')}` })).toEqual(['pg']);
  });

  it('has no choice for a layer without candidates', () => {
    expect(chosen([layer(), data])).toEqual([null, 'mysql']);
  });
});

it.each([
  ['book a flight and put it in my calendar', ['book a flight', 'put it in my calendar']],
  ['Web framework, job queue; then store sessions.', ['Web framework', 'job queue', 'store sessions']],
  ['login', ['login']],
  ['', ['']],
])('the needs in %j', (useCase, needs) => {
  expect(needsIn(useCase)).toEqual(needs);
});

describe('compatibility (TP-13)', () => {
  it.each([
    ['a dependency', [edge('a', 'b', 'REQUIRES')], [], 'requires', 'declared_dependency'],
    ['an edge', [edge('a', 'b', 'COMPATIBLE_WITH')], [], 'compatible', 'graph_edges'],
    [
      'a conflict, whatever else',
      [edge('a', 'b', 'COMPATIBLE_WITH'), edge('b', 'a', 'CONFLICTS_WITH')],
      [],
      'conflicts',
      'graph_edges',
    ],
    ['shared neighbors', [], ['/react'], 'unknown', 'shared_neighbors'],
    ['nothing', [], [], 'unknown', 'none'],
    ['a replacement', [edge('a', 'b', 'REPLACES')], [], 'unknown', 'none'],
  ] as const)('of %s', (_, edges, shared, verdict, source) => {
    expect(compatibilityOf(edges, shared)).toMatchObject({ verdict, source });
  });

  const peer = (verdict: PeerFact['verdict'], isPartial = false): PeerFact => {
    const version = verdict === 'compatible' ? '1.0.0' : null;
    return { node: id('b'), verdict, version, isPartial, why: 'a needs b' };
  };
  const requires = edge('a', 'b', 'REQUIRES');
  it.each([
    ['a peer that fits, whatever is required', [requires], [peer('compatible')], 'compatible', 'declared_dependency'],
    ['a peer that does not fit', [requires], [peer('conflicts')], 'conflicts', 'declared_dependency'],
    [
      'two peers of which one does not fit',
      [],
      [peer('compatible'), peer('conflicts')],
      'conflicts',
      'declared_dependency',
    ],
    ['a stated conflict', [edge('a', 'b', 'CONFLICTS_WITH')], [peer('compatible')], 'conflicts', 'graph_edges'],
    ['a peer of unknown versions', [requires], [peer('unknown')], 'requires', 'declared_dependency'],
    ['a peer of unknown versions alone', [], [peer('unknown')], 'unknown', 'declared_dependency'],
  ] as const)('of %s', (_, edges, peers, verdict, source) => {
    expect(compatibilityOf(edges, [], peers)).toMatchObject({ verdict, source });
  });
});
