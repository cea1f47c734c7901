import { it } from 'vitest';
import { remoteMemories } from '../../src/client/remote-memories.ts';
import { createMemories } from '../../src/memories/create-memories.ts';
import type { Memories } from '../../src/memories/memories.ts';
import { type CallsOf, expectSameAnswers } from '../support/local-and-remote.ts';

const bad = (value: unknown) => value as never;
const hashOf = async (memories: Memories, content: string) =>
  (await memories.search({ query: content, mode: 'exact', include_superseded: true })).memories[0]?.content_hash ??
  'none';

/** In this order, on memories of their own for each of the two. */
const CALLS: CallsOf<Memories> = {
  store: [
    (m) => m.store({ content: 'The lamp is red', tags: 'Light, home', memory_type: 'fact', created_at: '2026-01-02' }),
    (m) => m.store({ content: 'the lamp is RED ' }),
    async (m) =>
      m.store({ content: 'The lamp is blue', supersedes: await hashOf(m, 'lamp is red'), reason: 'painted' }),
    (m) => m.store(bad({ content: '' })),
    (m) => m.store(bad({ content: 'x', colour: 'red' })),
    (m) => m.store(bad(null)),
  ],
  storeSession: [
    (m) => m.storeSession({ turns: [{ role: 'user', content: 'A boat at noon' }], session_id: 's' }),
    (m) => m.storeSession({ turns: [] }),
  ],
  get: [async (m) => m.get(await hashOf(m, 'lamp is blue')), (m) => m.get('0'.repeat(64)), (m) => m.get('not a hash')],
  list: [
    (m) => m.list(),
    (m) => m.list({ tags: ['light'], include_superseded: true, page_size: 1 }),
    (m) => m.list({ time_expr: 'january 2026', include_superseded: true }),
    (m) => m.list({ time_expr: 'purple' }),
    (m) => m.list({ page: 0 }),
  ],
  search: [
    (m) => m.search({ query: 'lamp', include_debug: true, include_superseded: true }),
    (m) => m.search({ query: 'boat noon', mode: 'semantic', limit: 60 }),
    (m) => m.search({ query: 'lamp', as_of: '2026-01-03' }),
    (m) => m.search({ query: 'x', keyword_weight: 0, semantic_weight: 0 }),
    (m) => m.search({ query: 'x', preset: 'memry' }),
    (m) => m.search(bad({ query: 'x', mode: 'fuzzy' })),
  ],
  update: [
    async (m) => m.update(await hashOf(m, 'lamp is blue'), { tags: ['new'], metadata: { a: 1 } }),
    (m) => m.update('0'.repeat(64), { tags: [] }),
    async (m) => m.update(await hashOf(m, 'lamp is blue'), { source_class: 'user' }),
  ],
  supersede: [
    async (m) => m.supersede(await hashOf(m, 'lamp is blue'), { by: await hashOf(m, 'lamp is blue') }),
    async (m) => m.supersede(await hashOf(m, 'lamp is blue'), { by: await hashOf(m, 'boat') }),
  ],
  graph: [
    async (m) => m.graph({ action: 'connected', hash: await hashOf(m, 'lamp is blue'), max_hops: 1 }),
    async (m) => m.graph({ action: 'path', hash1: await hashOf(m, 'lamp is blue'), hash2: await hashOf(m, 'boat') }),
    async (m) => m.graph({ action: 'subgraph', hash: await hashOf(m, 'lamp is blue'), rel_type: 'follows' }),
    async (m) => m.graph({ action: 'suggest', hash: await hashOf(m, 'lamp is blue') }),
    (m) => m.graph({ action: 'infer' }),
    (m) => m.graph({ action: 'connected', hash: '0'.repeat(64), max_hops: -1 }),
  ],
  undoSupersede: [
    async (m) => m.undoSupersede(await hashOf(m, 'lamp is blue')),
    async (m) => m.undoSupersede(await hashOf(m, 'lamp is blue')),
  ],
  counts: [(m) => m.counts()],
  audit: [(m) => m.audit()],
  storeMany: [(m) => m.storeMany([{ content: 'one' }, { content: 'One ' }, { content: '' }, 7])],
  forget: [
    (m) => m.forget({ tags: ['new'], dry_run: true }),
    async (m) => m.forget({ content_hash: await hashOf(m, 'boat') }),
    (m) => m.forget({}),
  ],
};

/** Times are of two clocks. */
const timeless = (outcome: unknown): unknown =>
  JSON.parse(
    JSON.stringify(outcome, (key, value) =>
      /^(?:created_at|updated_at)|^(?:at|invalid_at)$/.test(key) && value !== null ? 'a time' : (value as unknown),
    ),
  );

it('answers over the network as in the process, for every method', () =>
  expectSameAnswers(CALLS, (registry) => createMemories(registry), remoteMemories, timeless));
