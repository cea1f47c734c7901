import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, START, type TestMemories, wordMemories } from '../../test/support/word-memories.ts';

let memories: TestMemories;
beforeEach(async () => {
  memories = await wordMemories();
});
afterEach(() => memories.registry.close());

const contents = (page: { readonly memories: readonly { readonly content: string }[] }) =>
  page.memories.map(({ content }) => content);

describe('storing', () => {
  it('answers with the memory and its hash, made from the trimmed content without case', async () => {
    const stored = await memories.store({
      content: '  The Harbor lamp is blue ',
      tags: 'Light, harbor',
      memory_type: 'Fact',
    });
    const content_hash = createHash('sha256').update('the harbor lamp is blue').digest('hex');
    expect(stored).toMatchObject({ success: true, duplicate: false, content_hash, near_duplicates: [] });
    expect(stored.memory).toMatchObject({
      content: '  The Harbor lamp is blue ',
      content_hash,
      tags: ['light', 'harbor'],
      memory_type: 'Fact',
      source_class: 'model',
      created_at: Date.parse(START) / 1000,
      created_at_iso: START,
      superseded: null,
      path: `/${content_hash}`,
    });
    expect(await memories.get(content_hash.slice(0, 8))).toEqual(stored.memory);
  });

  it('stores an exact duplicate once and says so, also at the same time', async () => {
    const both = await Promise.all(['Tea at four', 'tea AT four '].map((content) => memories.store({ content })));
    expect(both.map(({ success, duplicate }) => [success, duplicate])).toEqual([
      [true, false],
      [false, true],
    ]);
    expect((await memories.list()).total).toBe(1);
  });

  it('writes nothing for a duplicate', async () => {
    await memories.store({ content: 'Tea at four' });
    const { revision } = memories.registry.changes(null);
    await memories.store({ content: 'Tea at four', tags: ['other'] });
    expect(memories.registry.changes(revision).ids).toEqual([]);
  });

  it('counts how often it was stored, each in the turn of its write, and keeps the other metadata', async () => {
    const content = 'the build needs a clean folder';
    const same = () => memories.store({ content, count_as: 'seen', metadata: { from: 'build' } });
    const stored = await Promise.all([same(), same(), same()]);
    expect(stored.map(({ memory, duplicate }) => [memory.metadata.seen, duplicate])).toEqual([
      [1, false],
      [2, true],
      [3, true],
    ]);
    expect((await memories.list()).memories.map(({ metadata }) => metadata)).toEqual([{ from: 'build', seen: 3 }]);
    await memories.update(stored[0]!.content_hash, { metadata: { seen: 'often' } });
    expect((await same()).memory.metadata.seen).toBe(2);
    await expect(memories.store({ content, count_as: 'a b' })).rejects.toMatchObject({ field: 'count_as' });
  });

  it('stores a near duplicate and names it', async () => {
    const first = await memories.store({ content: 'The staging server listens on port 8080' });
    const second = await memories.store({ content: 'The staging server listens on port 9090' });
    expect(second.success).toBe(true);
    expect(second.near_duplicates).toEqual([
      { content_hash: first.content_hash, similarity: 0.75, content: 'The staging server listens on port 8080' },
    ]);
  });

  it('keeps the same content apart in two namespaces, readable by their groups alone', async () => {
    const [ops, dev] = [
      await memories.store({ content: 'Rotate the key', namespace: 'ops' }),
      await memories.store({ content: 'Rotate the key', namespace: 'dev' }),
    ];
    expect([ops.duplicate, dev.duplicate]).toEqual([false, false]);
    const reader = memories.as({ readers: ['public', 'group:ops'] });
    expect((await reader.list()).memories.map(({ namespace }) => namespace)).toEqual(['ops']);
    expect((await reader.search({ query: 'rotate key' })).memories.map(({ namespace }) => namespace)).toEqual(['ops']);
    await expect(memories.as({ readers: ['public'] }).get(ops.content_hash)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('is as trusted as the least trusted memory it was made from', async () => {
    const page = await memories.store({ content: 'A page says the bridge is closed', source_class: 'document' });
    const derived = await memories.store({
      content: 'The bridge seems closed',
      source_class: 'user',
      derived_from: [page.content_hash],
    });
    expect(derived.memory.source_class).toBe('document');
    expect((await memories.search({ query: 'bridge', min_source: 'tool' })).memories).toEqual([]);
    expect((await memories.search({ query: 'bridge', min_source: 'document' })).memories).toHaveLength(2);
    const short = await memories.store({ content: 'Take the ferry', derived_from: [page.content_hash.slice(0, 9)] });
    expect(short.memory.derived_from).toEqual([page.content_hash]);
  });

  it.each([
    ['empty content', { content: '  ' }, 'content'],
    ['10 MB of content', { content: 'x'.repeat(10_000_000) }, 'content'],
    ['an unknown field', { content: 'a', tag: 'b' }, 'tag'],
    ['a time that is none', { content: 'a', valid_from: 'soon' }, 'valid_from'],
    ['an end before its start', { content: 'a', valid_from: '2026-02-01', invalid_at: '2026-01-01' }, 'invalid_at'],
    ['an unknown source', { content: 'a', source_class: 'rumor' }, 'source_class'],
    ['a hash that is none', { content: 'a', supersedes: 'xyz' }, 'supersedes'],
    ['a hash of nothing', { content: 'a', supersedes: 'f'.repeat(64) }, 'supersedes'],
    ['an origin that is not there', { content: 'a', derived_from: ['f'.repeat(64)] }, 'derived_from'],
    ['a namespace with a slash', { content: 'a', namespace: 'a/b' }, 'namespace'],
  ])('refuses %s and stores nothing', async (_, request, field) => {
    await expect(memories.store(request as never)).rejects.toMatchObject({ field });
    expect((await memories.list()).total).toBe(0);
  });
});

describe('a memory that is true for a time', () => {
  const found = async (more: object = {}) =>
    (await memories.search({ query: 'ferry', ...more })).memories.map(({ content }) => content).toSorted();

  it('is hidden once it is no longer true, and shown as history and at its own time', async () => {
    await memories.store({ content: 'The ferry costs 5', invalid_at: '2026-11-20' });
    await memories.store({ content: 'The ferry will cost 7', valid_from: '2026-12-01' });
    expect(await found()).toEqual(['The ferry costs 5', 'The ferry will cost 7']);
    expect(await found({ as_of: '2026-11-18' })).toEqual(['The ferry costs 5']);
    memories.pass(5 * DAY_MS);
    for (const mode of ['hybrid', 'semantic', 'exact'])
      expect(await found({ mode })).toEqual(['The ferry will cost 7']);
    expect(await found({ include_superseded: true })).toHaveLength(2);
  });
});

describe('updating', () => {
  it('changes tags, type, metadata and times in place', async () => {
    const { content_hash } = await memories.store({
      content: 'Lunch is at noon',
      tags: ['food'],
      metadata: { a: 1, b: 2 },
    });
    const changes = { tags: ['meal'], memory_type: 'habit', metadata: { b: null, c: 3 }, invalid_at: '2027-01-01' };
    const { memory } = await memories.update(content_hash, changes);
    expect(memory).toMatchObject({ content_hash, tags: ['meal'], memory_type: 'habit', metadata: { a: 1, c: 3 } });
    expect(memory.created_at_iso).toBe(START);
    expect((await memories.update(content_hash, { invalid_at: null })).memory.invalid_at).toBeNull();
  });

  it('makes new content a memory that supersedes the old one', async () => {
    const { content_hash } = await memories.store({ content: 'Lunch is at noon', tags: ['food'], namespace: 'ops' });
    const next = await memories.update(content_hash, { content: 'Lunch is at one', reason: 'moved' });
    expect(next.memory).toMatchObject({ tags: ['food'], namespace: 'ops', supersedes: [content_hash] });
    expect((await memories.get(content_hash)).superseded).toMatchObject({ by: next.content_hash, reason: 'moved' });
  });

  it('keeps the certainty for new content, or takes the one that is given', async () => {
    const { content_hash } = await memories.store({ content: 'Lunch is at noon', certainty: 0.4 });
    const kept = await memories.update(content_hash, { content: 'Lunch is at one' });
    expect(kept.memory.certainty).toBe(0.4);
    const unsure = await memories.update(kept.content_hash, { content: 'Lunch is at two', certainty: 0 });
    expect(unsure.memory.certainty).toBe(0);
  });

  it('never makes a memory more trusted', async () => {
    const { content_hash } = await memories.store({ content: 'Sold out', source_class: 'tool' });
    const raise = memories.update(content_hash, { source_class: 'user' });
    await expect(raise).rejects.toMatchObject({ code: 'FORBIDDEN', field: 'source_class' });
    expect((await memories.update(content_hash, { source_class: 'document' })).memory.source_class).toBe('document');
    const rewritten = await memories.update(content_hash, { content: 'Sold out until May' });
    expect(rewritten.memory.source_class).toBe('document');
    const confirmed = { content: 'Sold out until June', source_class: 'user' as const };
    expect((await memories.update(rewritten.content_hash, confirmed)).memory.source_class).toBe('user');
  });

  it('of two changes with the same tag lets one win, also if one of them is new content', async () => {
    const registry = memories.registry;
    const everyone = { readers: null };
    for (let round = 0; round < 20; round++) {
      const { content_hash, memory } = await memories.store({ content: `Lunch ${round}`, tags: ['old'] });
      const ifMatch = (await registry.get('memory', memory.path))!.etag;
      const [tagged, renewed] = [memories.as(everyone, { ifMatch }), memories.as(everyone, { ifMatch })];
      const calls = [
        () => renewed.update(content_hash, { content: `Dinner ${round}` }),
        () => tagged.update(content_hash, { tags: ['new'] }),
      ];
      const ordered = round % 2 === 0 ? calls : calls.toReversed();
      const done = await Promise.allSettled(ordered.map((call) => call()));
      expect(done.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    }
  });

  it('refuses an end before the beginning, but not a memory that is superseded from before it began', async () => {
    const { content_hash } = await memories.store({ content: 'Rent is 900', valid_from: '2026-05-01' });
    await expect(memories.update(content_hash, { invalid_at: '2026-01-01' })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'invalid_at',
    });
    expect((await memories.get(content_hash)).invalid_at).toBeNull();
    await memories.store({ content: 'Rent is 950', valid_from: '2026-01-01', supersedes: content_hash });
    expect((await memories.update(content_hash, { tags: ['home'] })).memory.tags).toEqual(['home']);
  });
});

describe('listing', () => {
  it('is newest first, page by page, with filters inside', async () => {
    for (let day = 0; day < 5; day++) {
      await memories.store({
        content: `Note ${day}`,
        tags: day % 2 === 0 ? ['even'] : ['odd', 'late'],
        memory_type: `t${day % 3}`,
      });
      memories.pass(DAY_MS);
    }
    const first = await memories.list({ page_size: 2 });
    expect(contents(first)).toEqual(['Note 4', 'Note 3']);
    expect(first).toMatchObject({ total: 5, total_pages: 3, has_more: true });
    expect(contents(await memories.list({ page_size: 2, page: 3 }))).toEqual(['Note 0']);
    expect(contents(await memories.list({ tags: ['even', 'late'] }))).toHaveLength(5);
    expect(contents(await memories.list({ tags: 'odd,late', tag_match: 'all' }))).toEqual(['Note 3', 'Note 1']);
    expect(contents(await memories.list({ memory_type: 'T1' }))).toEqual(['Note 4', 'Note 1']);
    expect(contents(await memories.list({ newest_per_tag: 'ev' }))).toEqual(['Note 4']);
    expect(contents(await memories.list({ newest_per_tag: 'o', before: '2026-11-18' }))).toEqual(['Note 1']);
    expect(contents(await memories.list({ after: '2026-11-18', before: '2026-11-19' }))).toEqual(['Note 2', 'Note 1']);
    expect(contents(await memories.list({ time_expr: '3 days ago' }))).toEqual(['Note 2']);
  });

  it('finds what nobody has recalled for days, and writes no counter while it searches', async () => {
    await memories.store({ content: 'The red boat' });
    await memories.store({ content: 'The green boat' });
    memories.pass(10 * DAY_MS);
    await memories.search({ query: 'red', mode: 'exact' });
    expect((await memories.registry.annotated('memory', 'recall')).size).toBe(0);
    expect(contents(await memories.list({ stale_days: 5 }))).toEqual(['The green boat']);
    await memories.flush();
    expect(contents(await memories.list({ stale_days: 5 }))).toEqual(['The green boat']);
    expect([...(await memories.registry.annotated('memory', 'recall')).values()]).toMatchObject([{ count: 1 }]);
  });

  it('counts tags, types and sources of current memories', async () => {
    await memories.store({ content: 'a', tags: ['x'], memory_type: 'note', source_class: 'user' });
    const old = await memories.store({ content: 'b', tags: ['x', 'y'], memory_type: 'note' });
    await memories.store({ content: 'c', supersedes: old.content_hash });
    expect(await memories.counts()).toEqual({
      total: 2,
      superseded: 1,
      deleted: 0,
      untagged: 1,
      tags: [{ tag: 'x', count: 1 }],
      types: [{ type: 'note', count: 1 }],
      sources: [
        { source: 'model', count: 1 },
        { source: 'user', count: 1 },
      ],
    });
  });
});

describe('forgetting', () => {
  it('needs a hash or a filter', async () => {
    await memories.store({ content: 'a' });
    for (const filter of [{}, { dry_run: true }, { tags: [] }, { tag_match: 'all' as const }]) {
      await expect(memories.forget(filter)).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'content_hash' });
    }
    expect((await memories.list()).total).toBe(1);
  });

  it('hides a memory everywhere, and lets the same content be stored anew', async () => {
    const { content_hash } = await memories.store({ content: 'The secret door' });
    expect(await memories.forget({ content_hash, dry_run: true })).toMatchObject({ count: 1, hashes: [content_hash] });
    expect((await memories.get(content_hash)).deleted_at).toBeNull();
    expect(await memories.forget({ content_hash, tags: ['ignored'] })).toMatchObject({ count: 1, dry_run: false });
    await expect(memories.get(content_hash)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    for (const mode of ['hybrid', 'semantic', 'exact'] as const) {
      expect((await memories.search({ query: 'secret door', mode, include_superseded: true })).memories).toEqual([]);
    }
    for (const call of [
      memories.update(content_hash, { tags: ['x'] }),
      memories.supersede(content_hash, { by: content_hash }),
      memories.forget({ content_hash }),
    ]) {
      await expect(call).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(await memories.store({ content: 'the secret door' })).toMatchObject({ success: true, duplicate: false });
  });

  it('takes tags, any or all, and times', async () => {
    await memories.store({ content: 'a', tags: ['x', 'y'] });
    await memories.store({ content: 'b', tags: ['x'] });
    memories.pass(40 * DAY_MS);
    await memories.store({ content: 'c', tags: ['z'] });
    expect((await memories.forget({ tags: ['x', 'y'], tag_match: 'all' })).count).toBe(1);
    expect((await memories.forget({ before: '2026-11-30' })).count).toBe(1);
    expect(contents(await memories.list())).toEqual(['c']);
  });

  it('deletes for good on request, and after 30 days', async () => {
    const [a, b] = [await memories.store({ content: 'a' }), await memories.store({ content: 'b' })];
    await memories.forget({ content_hash: a.content_hash });
    expect((await memories.list({ include_deleted: true })).total).toBe(2);
    memories.pass(31 * DAY_MS);
    await memories.forget({ content_hash: b.content_hash });
    expect(contents(await memories.list({ include_deleted: true }))).toEqual(['b']);
    await memories.forget({ content_hash: b.content_hash, purge: true });
    expect((await memories.registry.health()).index.entities).toBe(0);
  });
});

describe('a conversation', () => {
  const turns = [
    { role: 'user', content: 'I keep bees behind the barn.' },
    { role: 'assistant', content: 'How many hives?' },
    { role: 'user', content: 'Seven hives, one of them is a swarm from May.' },
  ];

  it('is one memory that is found by its turns, with their neighbors', async () => {
    const stored = await memories.storeSession({ turns, session_id: 's1', tags: ['garden'] });
    expect(stored).toMatchObject({ success: true, session_id: 's1', turn_count: 3 });
    expect(stored.memory).toMatchObject({
      tags: ['garden', 'session:s1'],
      memory_type: 'session',
      conversation_id: 's1',
    });
    const { memories: found } = await memories.search({ query: 'swarm' });
    expect(found).toHaveLength(1);
    expect(found[0]?.match).toEqual({
      text: '[user] Seven hives, one of them is a swarm from May.',
      turn: 3,
      before: '[assistant] How many hives?',
      after: null,
    });
    expect(await memories.storeSession({ turns, session_id: 's1' })).toMatchObject({ success: false });
  });

  it('needs a turn, and each turn a role and a text', async () => {
    await expect(memories.storeSession({ turns: [] })).rejects.toMatchObject({ field: 'turns' });
    const bad = memories.storeSession({ turns: [{ role: 'user', content: ' ' }] });
    await expect(bad).rejects.toMatchObject({ field: 'turns.0.content' });
  });
});
