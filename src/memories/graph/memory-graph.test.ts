import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestMemories, wordMemories } from '../../../test/support/word-memories.ts';
import type { MemoryGraphAnswer, MemoryGraphRequest } from '../contract/memory-graph-schemas.ts';
import { MAX_GRAPH_NODES } from './memory-graph.ts';

let memories: TestMemories;
beforeEach(async () => {
  memories = await wordMemories();
});
afterEach(() => memories.registry.close());

const store = async (content: string, more: object = {}) => (await memories.store({ content, ...more })).content_hash;

async function ask<A extends MemoryGraphAnswer['action']>(request: MemoryGraphRequest & { readonly action: A }) {
  return (await memories.graph(request)) as Extract<MemoryGraphAnswer, { action: A }>;
}

/** `lamp` was superseded by `gate`, `boat` was made from `gate`, and `river` states that it relates to `boat`. */
async function chain() {
  const lamp = await store('lamp');
  const gate = await store('gate', { supersedes: lamp, reason: 'moved' });
  const boat = await store('boat', { derived_from: [gate] });
  const river = await store('river');
  await memories.registry.patch('memory', `/${river}`, { relations: [{ type: 'related_to', target: `/${boat}` }] });
  return { lamp, gate, boat, river };
}

describe('relations between memories', () => {
  it('connect what they supersede, were made from and state, both ways, nearest first', async () => {
    const { lamp, gate, boat, river } = await chain();
    expect(await ask({ action: 'connected', hash: lamp })).toEqual({
      ...{ success: true, action: 'connected', hash: lamp, count: 2, warnings: [] },
      connected: [
        { hash: gate, distance: 1 },
        { hash: boat, distance: 2 },
      ],
    });
    const all = await ask({ action: 'connected', hash: river, max_hops: 9 });
    expect(all.connected).toEqual([
      { hash: boat, distance: 1 },
      { hash: gate, distance: 2 },
      { hash: lamp, distance: 3 },
    ]);
    const lineage = await ask({ action: 'connected', hash: gate, rel_type: 'Derived From' });
    expect(lineage.connected).toEqual([{ hash: boat, distance: 1 }]);
    const follows = await ask({ action: 'connected', hash: gate, rel_type: 'follows' });
    expect(follows.connected).toEqual([{ hash: lamp, distance: 1 }]);
  });

  it('make a path, at most as long as asked', async () => {
    const { lamp, gate, boat, river } = await chain();
    const path = (more: object) => ask({ action: 'path', hash1: lamp, hash2: river, ...more });
    expect(await path({})).toMatchObject({ path: [lamp, gate, boat, river], length: 4, warnings: [] });
    expect(await path({ max_depth: 2 })).toMatchObject({
      path: null,
      length: 0,
      warnings: ['No path of at most 2 steps was found.'],
    });
    expect(await path({ hash2: lamp })).toMatchObject({ path: [lamp], length: 1 });
  });

  it('are the edges of a subgraph', async () => {
    const { lamp, gate, boat } = await chain();
    const { nodes, edges, node_count, edge_count } = await ask({ action: 'subgraph', hash: gate, radius: 1 });
    expect([nodes.toSorted(), node_count, edge_count]).toEqual([[lamp, gate, boat].toSorted(), 3, 2]);
    const said = edges.map(({ source, relation, target }) => [source, relation, target]);
    expect(said.toSorted()).toEqual(
      [
        [gate, 'supersedes', lamp],
        [boat, 'derived_from', gate],
      ].toSorted(),
    );
  });

  it('come from imported edges too, and a circle ends', async () => {
    const [a, b, c] = [await store('lamp'), await store('gate'), await store('boat')];
    const edge = (from: string, to: string) => ({
      source: `memory:/${from}`,
      target: `memory:/${to}`,
      type: 'REQUIRES',
    });
    await memories.registry.putEdges({ edges: [edge(a, b), edge(b, c), edge(c, a)] });
    const { connected } = await ask({ action: 'connected', hash: a, max_hops: 10 });
    expect(connected.map(({ distance }) => distance)).toEqual([1, 1]);
    const { edge_count } = await ask({ action: 'subgraph', hash: a, radius: 10 });
    expect(edge_count).toBe(3);
  });

  it('end at what was forgotten, and are there again without the forgetting', async () => {
    const { lamp, gate, boat, river } = await chain();
    await memories.forget({ content_hash: gate });
    expect((await ask({ action: 'connected', hash: lamp })).connected).toEqual([]);
    expect((await ask({ action: 'path', hash1: lamp, hash2: river })).path).toBeNull();
    expect((await ask({ action: 'subgraph', hash: river, radius: 9 })).nodes).toEqual([river, boat]);
    await expect(memories.graph({ action: 'connected', hash: gate })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are not followed over memories that the caller may not read', async () => {
    const open = await store('lamp');
    const hidden = await store('gate', { namespace: 'board', derived_from: [open] });
    const other = await store('boat');
    const edge = (target: string) => ({
      source: `memory:/board/${hidden}`,
      target: `memory:/${target}`,
      type: 'REQUIRES',
    });
    await memories.registry.putEdges({ edges: [edge(other)] });
    expect((await ask({ action: 'connected', hash: open })).connected.map(({ hash }) => hash)).toEqual([hidden, other]);
    const eve = memories.as({ readers: ['public'], name: 'eve' } as never);
    expect(await eve.graph({ action: 'connected', hash: open, max_hops: 9 })).toMatchObject({ connected: [] });
    expect(await eve.graph({ action: 'path', hash1: open, hash2: other })).toMatchObject({ path: null });
    expect(await eve.graph({ action: 'subgraph', hash: other })).toMatchObject({ node_count: 1, edge_count: 0 });
    await expect(eve.graph({ action: 'connected', hash: hidden })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are followed within a limit, and the answer says so', async () => {
    const hubs = await Promise.all(
      ['lamp', 'gate', 'boat', 'river', 'stone', 'cloud', 'field'].map((word) => store(word)),
    );
    const leaves = Array.from({ length: 90 * hubs.length }, (_, n) => ({ content: `leaf ${n}` }));
    await memories.storeMany(leaves);
    const rows = (await memories.registry.rows('memory')).filter(({ path }) => !hubs.includes(path.slice(1)));
    const edge = (source: string, target: string) => ({ source, target: `memory:${target}`, type: 'REQUIRES' });
    await memories.registry.putEdges({
      edges: [
        ...hubs.slice(1).map((hub) => edge(`memory:/${hubs[0]}`, `/${hub}`)),
        ...rows.map(({ path }, n) => edge(`memory:/${hubs[n % hubs.length]}`, path)),
      ],
    });
    const { connected, warnings } = await ask({ action: 'connected', hash: hubs[0]!, max_hops: 5 });
    expect(connected).toHaveLength(MAX_GRAPH_NODES - 1);
    expect(warnings).toEqual([`Only the nearest ${MAX_GRAPH_NODES} memories were looked at.`]);
  });

  it('of one memory are many, or the answer says that some are missing', async () => {
    const hub = await store('lamp');
    const parts = Array.from({ length: 150 }, (_, n) => store(`leaf ${n}`, { derived_from: [hub] }));
    await Promise.all(parts);
    expect(await ask({ action: 'connected', hash: hub, max_hops: 1 })).toMatchObject({ count: 150, warnings: [] });
    const rows = (await memories.registry.rows('memory')).filter(({ path }) => path !== `/${hub}`);
    const types = ['REQUIRES', 'REPLACES', 'CONFLICTS_WITH'];
    const edges = types.flatMap((type) =>
      rows.map(({ path }) => ({ source: `memory:/${hub}`, target: `memory:${path}`, type })),
    );
    await memories.registry.putEdges({ edges });
    const { warnings } = await ask({ action: 'subgraph', hash: hub, radius: 1 });
    expect(warnings).toEqual([expect.stringMatching(`strongest relations .* /${hub} has 600`)]);
  });

  it('to a forgotten memory are not listed', async () => {
    const lamp = await store('lamp');
    const gate = await store('gate', { derived_from: [lamp] });
    const paths = async () =>
      (await memories.registry.relations('memory', `/${lamp}`)).relations.map(({ path }) => path);
    expect(await paths()).toEqual([`/${gate}`]);
    await memories.forget({ content_hash: gate });
    expect(await paths()).toEqual([]);
  });

  it.each([
    [{ action: 'connected' }, 'INVALID_REQUEST', 'hash'],
    [{ action: 'path', hash1: '$lamp' }, 'INVALID_REQUEST', 'hash2'],
    [{ action: 'connected', hash: 'nonsense' }, 'INVALID_REQUEST', 'hash'],
    [{ action: 'connected', hash: '0'.repeat(64) }, 'NOT_FOUND', 'hash'],
    [{ action: 'connected', hash: '$lamp', max_hops: -1 }, 'INVALID_REQUEST', 'max_hops'],
    [{ action: 'path', hash1: '$lamp', hash2: '$lamp', max_depth: 0 }, 'INVALID_REQUEST', 'max_depth'],
    [{ action: 'subgraph', hash: '$lamp', radius: 11 }, 'INVALID_REQUEST', 'radius'],
    [{ action: 'subgraph', hash: '$lamp', rel_type: 'causes' }, 'INVALID_REQUEST', 'rel_type'],
    [{ action: 'explode', hash: '$lamp' }, 'INVALID_REQUEST', 'action'],
  ])('are refused for %j', async (request, code, field) => {
    const lamp = await store('lamp');
    const filled = JSON.parse(JSON.stringify(request).replaceAll('$lamp', lamp));
    await expect(memories.graph(filled)).rejects.toMatchObject({ code, field });
  });
});

describe('likely relations', () => {
  it('are inferred from the conversation and from a rare tag, and not stored', async () => {
    const start = await store('lamp', { conversation_id: 'c1', tags: ['rare'] });
    const mate = await store('gate', { conversation_id: 'C1' });
    const both = await store('boat', { conversation_id: 'c1', tags: ['rare'] });
    const tagged = await store('river', { tags: ['rare'] });
    await store('stone', { conversation_id: 'c2' });
    const { inferred } = await ask({ action: 'infer', hash: start });
    const why = new Map(inferred.map((one) => [one.hash, one.why]));
    expect(why.get(both)).toBe('the same conversation: c1; the same tag: rare');
    expect([...why.keys()].toSorted()).toEqual([mate, both, tagged].toSorted());
    expect((await ask({ action: 'connected', hash: start })).connected).toEqual([]);
  });

  it('are suggested from what is similar, without what is related already', async () => {
    const start = await store('the staging server listens on port 8080');
    const differs = await store('the staging server listens on port 9090');
    const known = await store('the staging server listens on port 8080 now', { derived_from: [start] });
    await store('bread and copper');
    const { suggestions } = await ask({ action: 'suggest', hash: start });
    expect(suggestions).toEqual([
      { hash: differs, relation: 'conflicts_with', similarity: expect.any(Number), why: 'differs in 8080, 9090' },
    ]);
    expect(suggestions.map(({ hash }) => hash)).not.toContain(known);
  });

  it('are not suggested with what is no longer true', async () => {
    const start = await store('the staging server listens on port 8080');
    await store('the staging server listens on port 9090', { valid_from: '2026-01-01', invalid_at: '2026-02-01' });
    expect((await ask({ action: 'suggest', hash: start })).suggestions).toEqual([]);
  });
});
