import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestMemories, wordMemories } from '../../test/support/word-memories.ts';

let memories: TestMemories;
beforeEach(async () => {
  memories = await wordMemories();
});
afterEach(() => memories.registry.close());

const stored = async (content: string, fields: object = {}) =>
  (await memories.store({ content, source_class: 'user', ...fields })).content_hash;
const current = async () => (await memories.list()).memories.map(({ content }) => content).sort();

describe('a merge', () => {
  it('replaces several memories in one write, says what it was made from, and is undone as a whole', async () => {
    const old = [
      await stored('Office: Lima'),
      await stored('City: Lima'),
      await stored('Rent is 900', { invalid_at: '2030-01-01' }),
    ];
    const { revision } = memories.registry.changes(null);
    const merged = await memories.store({
      content: 'Office city Lima, rent 900',
      supersedes: old,
      source_class: 'user',
    });
    expect(new Set(memories.registry.changes(revision).ids).size).toBe(4);
    expect(merged).toMatchObject({
      success: true,
      memory: { supersedes: old, derived_from: old, source_class: 'user' },
    });
    expect(merged.merged?.map(({ superseded }) => superseded?.by)).toEqual(old.map(() => merged.content_hash));
    expect(merged.message).toContain('Merged 3 memories');
    expect(await current()).toEqual(['Office city Lima, rent 900']);

    const undone = await memories.undoSupersede(merged.content_hash.slice(0, 12));
    expect(undone.message).toBe('Restored: 3 memories are current again, and the merged one is forgotten');
    expect(await current()).toEqual(['City: Lima', 'Office: Lima', 'Rent is 900']);
    expect((await memories.get(old[2]!)).invalid_at).toContain('2030');
    await expect(memories.get(merged.content_hash)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    // The same again, as if it had not been.
    await memories.store({ content: 'Office city Lima, rent 900', supersedes: old, source_class: 'user' });
    expect(await current()).toEqual(['Office city Lima, rent 900']);
  });

  it('changes nothing if one of them cannot be replaced', async () => {
    const [a, b, c] = [await stored('Office: Lima'), await stored('City: Lima'), await stored('Rent: 900')];
    await memories.supersede(b, { by: c });
    const before = await current();
    await expect(memories.store({ content: 'all', supersedes: [a, b] })).rejects.toMatchObject({ field: 'supersedes' });
    await expect(memories.store({ content: 'all', supersedes: [a, 'f'.repeat(64)] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(memories.store({ content: 'all', supersedes: [] })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(memories.store({ content: 'Office: Lima', supersedes: [a, c] })).rejects.toThrow(
      'cannot supersede itself',
    );
    expect(await current()).toEqual(before);
  });

  it('is as trusted as the least of them, and so cannot replace what a user said by a document', async () => {
    const user = await stored('Office: Lima');
    const page = await stored('City: Lima', { source_class: 'document' });
    const both = { content: 'Office city: Lima', supersedes: [user, page], source_class: 'user' as const };
    await expect(memories.store(both)).rejects.toMatchObject({ code: 'FORBIDDEN', field: 'source_class' });
    expect(await current()).toEqual(['City: Lima', 'Office: Lima']);
  });

  it('of one memory that replaced another without being made from it is no merge to undo', async () => {
    const old = await stored('Office: Lima');
    const next = await memories.store({ content: 'Office: Oslo', supersedes: old });
    expect(next.merged).toBeUndefined();
    await expect(memories.undoSupersede(next.content_hash)).rejects.toThrow('is not superseded');
  });
});
