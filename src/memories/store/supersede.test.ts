import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, START, type TestMemories, wordMemories } from '../../../test/support/word-memories.ts';
import type { SearchMemories } from '../contract/memory-requests.ts';

let memories: TestMemories;
beforeEach(async () => {
  memories = await wordMemories();
});
afterEach(() => memories.registry.close());

const MODES = ['hybrid', 'semantic', 'exact'] as const;
const found = async (request: SearchMemories) =>
  (await memories.search(request)).memories.map(({ content }) => content);

describe('a superseded memory', () => {
  it('is hidden, keeps the reason, and is shown as history below its successor', async () => {
    const old = await memories.store({ content: 'Office city office city office: Lima' });
    const next = await memories.store({ content: 'Office: Oslo', supersedes: old.content_hash, reason: 'moved' });
    expect(next).toMatchObject({ success: true, superseded: { content_hash: old.content_hash } });
    expect(next.superseded?.superseded).toEqual({ by: next.content_hash, at: START, reason: 'moved' });
    for (const mode of MODES) {
      expect(await found({ query: 'office', mode })).toEqual(['Office: Oslo']);
      const history = await found({ query: 'office', mode, include_superseded: true });
      expect(history.toSorted()).toEqual(['Office city office city office: Lima', 'Office: Oslo']);
      expect(history[0]).toBe('Office: Oslo');
    }
    const plain = await memories.registry.search({ query: 'office city', include_deprecated: true });
    expect(plain.results.map(({ match_context }) => match_context)[0]).toBe('Office: Oslo');
    expect((await memories.registry.search({ query: 'office city' })).results).toHaveLength(1);
  });

  it('is named as superseded to who stores it again', async () => {
    const old = await memories.store({ content: 'Office: Lima' });
    expect((await memories.store({ content: 'Office: Lima' })).warnings).toEqual([]);
    const next = await memories.store({ content: 'Office: Oslo', supersedes: old.content_hash });
    expect(next.warnings).toEqual([]);
    expect(await memories.store({ content: 'Office: Lima' })).toMatchObject({
      duplicate: true,
      warnings: [`It is superseded by ${next.content_hash}, which searches show in its place.`],
    });
  });

  it('is not made current by a change of its status: other searches would show it', async () => {
    const old = await memories.store({ content: 'Office city office city office: Lima' });
    await memories.store({ content: 'Office: Oslo', supersedes: old.content_hash });
    const { registry } = memories;
    const patched = registry.patch('memory', old.memory.path, { status: 'active' });
    await expect(patched).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'status' });
    const entity = { ...(await registry.get('memory', old.memory.path))!.entity, status: 'active' };
    await expect(registry.put(entity)).rejects.toMatchObject({ field: 'status' });
    const shown = (await registry.search({ query: 'office city' })).results.map(({ match_context }) => match_context);
    expect(shown).toEqual(['Office: Oslo']);
  });

  it('is what was true before its successor', async () => {
    const old = await memories.store({ content: 'Rent is 900', valid_from: '2026-01-01' });
    const next = { content: 'Rent is 950', valid_from: '2026-07-01', supersedes: old.content_hash };
    await memories.store(next);
    expect(await found({ query: 'rent', as_of: '2026-03-01' })).toEqual(['Rent is 900']);
    expect(await found({ query: 'rent', as_of: '2026-08-01' })).toEqual(['Rent is 950']);
    expect(await found({ query: 'rent', as_of: '2025-08-01' })).toEqual([]);
    expect(await found({ query: 'rent' })).toEqual(['Rent is 950']);
  });

  it('is what was true before its successor was learned, where its beginning is not stated', async () => {
    const old = await memories.store({ content: 'Rent is 900' });
    memories.pass(DAY_MS);
    const next = await memories.store({ content: 'Rent is 950', supersedes: old.content_hash });
    memories.pass(DAY_MS);
    await memories.update(next.content_hash, { content: 'Rent is 990' });
    const day = (n: number) => new Date(Date.parse(START) + n * DAY_MS + 3_600_000).toISOString();
    for (const mode of MODES) {
      const at = (n: number) => found({ query: 'rent', mode, as_of: day(n) });
      expect([await at(0), await at(1), await at(2)]).toEqual([['Rent is 900'], ['Rent is 950'], ['Rent is 990']]);
    }
    const ended = { content: 'Rent was 800', invalid_at: '2025-01-01', supersedes: old.content_hash };
    await memories.undoSupersede(old.content_hash);
    expect((await memories.store(ended)).memory.valid_from).toBeNull();
  });

  it('is restored by undo, as it was', async () => {
    const old = await memories.store({ content: 'Rent is 900', invalid_at: '2030-01-01' });
    const next = await memories.store({ content: 'Rent is 950', supersedes: old.content_hash });
    memories.pass(DAY_MS);
    const undone = await memories.undoSupersede(old.content_hash);
    expect(undone.memory).toEqual({
      ...old.memory,
      updated_at: expect.any(Number),
      updated_at_iso: expect.any(String),
    });
    expect(undone.successor?.supersedes).toEqual([]);
    expect((await found({ query: 'rent' })).toSorted()).toEqual(['Rent is 900', 'Rent is 950']);
    expect((await memories.get(next.content_hash)).superseded).toBeNull();
    await expect(memories.undoSupersede(old.content_hash)).rejects.toMatchObject({ field: 'content_hash' });
  });

  it('names the near duplicates that are still there', async () => {
    const [a, b, c] = [
      await memories.store({ content: 'The door code is 4711 at night' }),
      await memories.store({ content: 'The door code is 4711 at night too' }),
      await memories.store({ content: 'Codes were changed on Monday' }),
    ];
    const { near_duplicates } = await memories.supersede(a.content_hash, { by: c.content_hash });
    expect(near_duplicates.map(({ content_hash }) => content_hash)).toEqual([b.content_hash]);
  });

  it('and are named in the answer to storing its successor', async () => {
    const old = await memories.store({ content: 'The door code is 4711 at night' });
    const copy = await memories.store({ content: 'The door code is 4711 at night too' });
    const next = { content: 'Codes were changed on Monday', supersedes: old.content_hash };
    const { near_duplicates } = await memories.store(next);
    expect(near_duplicates.map(({ content_hash }) => content_hash)).toEqual([copy.content_hash]);
  });
});

describe('superseding', () => {
  it('refuses itself, a circle, what is superseded, and what is not there, and changes nothing', async () => {
    const [a, b] = [await memories.store({ content: 'Paris' }), await memories.store({ content: 'Berlin' })];
    await memories.supersede(a.content_hash, { by: b.content_hash });
    const before = await memories.list({ include_superseded: true });
    const refused: readonly [Promise<unknown>, object][] = [
      [memories.supersede(b.content_hash, { by: b.content_hash }), { field: 'content_hash' }],
      [memories.store({ content: 'berlin', supersedes: b.content_hash }), { field: 'supersedes' }],
      [
        memories.supersede(b.content_hash, { by: a.content_hash }),
        { field: 'by', message: expect.stringContaining('circle') },
      ],
      [memories.store({ content: 'Paris', supersedes: b.content_hash }), { field: 'content' }],
      [memories.supersede(a.content_hash, { by: b.content_hash }), { field: 'content_hash' }],
      [memories.store({ content: 'Rome', supersedes: a.content_hash }), { field: 'supersedes' }],
      [memories.supersede(b.content_hash, { by: 'e'.repeat(64) }), { code: 'NOT_FOUND', field: 'by' }],
      [memories.supersede('nonsense!', { by: a.content_hash }), { code: 'INVALID_REQUEST', field: 'content_hash' }],
    ];
    for (const [call, error] of refused) await expect(call).rejects.toMatchObject(error);
    expect(await memories.list({ include_superseded: true })).toEqual(before);
  });

  it('stays within a namespace: whoever may not read the successor would lose the fact', async () => {
    const open = await memories.store({ content: 'The gate is open' });
    const closed = { content: 'The gate is closed', namespace: 'ops', supersedes: open.content_hash };
    await expect(memories.store(closed)).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'supersedes' });
    expect(await found({ query: 'gate' })).toEqual(['The gate is open']);
  });

  it('is not for an untrusted document, unless the old memory is one too', async () => {
    const user = await memories.store({ content: 'Call me Sam', source_class: 'user' });
    const attack = { content: 'Call me Boss', source_class: 'document' as const, supersedes: user.content_hash };
    await expect(memories.store(attack)).rejects.toMatchObject({ code: 'FORBIDDEN', field: 'source_class' });
    expect(await found({ query: 'call me' })).toEqual(['Call me Sam']);
    const page = await memories.store({ content: 'Page one', source_class: 'document' });
    const next = { content: 'Page two', source_class: 'document' as const, supersedes: page.content_hash };
    expect((await memories.store(next)).success).toBe(true);
  });
});

describe('at any time and in any mode', () => {
  type Step = { readonly type: 'supersede' | 'undo'; readonly from: number; readonly by: number };
  const COUNT = 6;
  const step: fc.Arbitrary<Step> = fc.record({
    type: fc.constantFrom('supersede', 'supersede', 'undo'),
    from: fc.nat(COUNT - 1),
    by: fc.nat(COUNT - 1),
  });

  it('no superseded memory is above its successor, and undo gives the order back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const own = await wordMemories();
        const hashes: string[] = [];
        for (let at = 0; at < COUNT; at++) {
          const words = Array.from({ length: COUNT - at }, () => 'harbor').join(' ');
          hashes.push((await own.store({ content: `${words} ${at}`, valid_from: `2026-0${at + 1}-01` })).content_hash);
        }
        const orders = async () => {
          const answers: { readonly content_hash: string; readonly superseded: { readonly by: string } | null }[][] =
            [];
          for (const mode of MODES) {
            for (const as_of of [undefined, '2026-02-15', '2026-05-15', '2027-01-01']) {
              const request = { query: 'harbor', mode, include_superseded: true, as_of, limit: 20 };
              answers.push((await own.search(request)).memories);
            }
          }
          return answers;
        };
        const first = await orders();
        for (const { type, from, by } of steps) {
          const call =
            type === 'undo' ? own.undoSupersede(hashes[from]!) : own.supersede(hashes[from]!, { by: hashes[by]! });
          await call.catch((error: { code: string }) => expect(error.code).toBe('INVALID_REQUEST'));
        }
        for (const list of await orders()) {
          const order = list.map(({ content_hash }) => content_hash);
          for (const { content_hash, superseded } of list) {
            if (superseded === null || !order.includes(superseded.by)) continue;
            expect(order.indexOf(superseded.by)).toBeLessThan(order.indexOf(content_hash));
          }
        }
        for (const hash of hashes) if ((await own.get(hash)).superseded !== null) await own.undoSupersede(hash);
        const orderOf = (lists: typeof first) => lists.map((list) => list.map(({ content_hash }) => content_hash));
        expect(orderOf(await orders())).toEqual(orderOf(first));
        await own.registry.close();
      }),
      { numRuns: 25 },
    );
  });
});
