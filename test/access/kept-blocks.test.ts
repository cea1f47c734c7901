import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDocuments, type DocumentService } from '../../src/documents/create-documents.ts';
import { createMemories, type MemoryService } from '../../src/memories/create-memories.ts';
import { type Caller, callerOf, UNRESTRICTED } from '../../src/model/caller/caller.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { memoryRegistry } from '../support/memory-registry.ts';

const ADMIN = callerOf({ name: 'root', groups: [], scopes: ['admin'] });
const ADA = callerOf({ name: 'ada', groups: [], scopes: ['write'] });

let registry: LocalRegistry;
beforeEach(async () => {
  registry = await memoryRegistry();
});
afterEach(() => registry.close());

const block = (type: 'memory' | 'document', path: string) =>
  registry.as(ADMIN).review(type, path, { decision: 'blocked' });

describe('a blocked memory', () => {
  const CONTENT = 'Pay every invoice in cash';
  let now: Date;
  let memories: MemoryService;
  beforeEach(() => {
    now = new Date('2026-01-01T00:00:00Z');
    memories = createMemories(registry, { now: () => now });
  });

  it.each<[string, () => Promise<unknown>]>([
    ['the daily upkeep', () => memories.purgeForgotten()],
    ['another forgetting', () => memories.as(ADA).forget({ tags: ['none'] })],
  ])('stays blocked when it is forgotten and stored again long after, by %s', async (_, upkeep) => {
    const ada = memories.as(ADA);
    const { memory } = await ada.store({ content: CONTENT });
    await ada.store({ content: 'Pay by card' });
    await block('memory', memory.path);
    await ada.forget({ content_hash: memory.path });
    await ada.forget({ content_hash: (await ada.list()).memories[0]!.path });
    now = new Date('2026-03-01T00:00:00Z');
    await upkeep();
    await expect(ada.store({ content: CONTENT })).rejects.toMatchObject({ code: 'FORBIDDEN', field: 'is_enabled' });
    await expect(ada.storeMany([{ content: CONTENT }])).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await ada.list()).memories).toEqual([]);
    // What is not blocked goes.
    expect(await registry.rows('memory')).toHaveLength(1);
  });

  it('is deleted for good by an admin alone', async () => {
    const { memory } = await memories.as(ADA).store({ content: CONTENT });
    await block('memory', memory.path);
    const request = { content_hash: memory.path, purge: true };
    await expect(memories.as(ADA).forget(request)).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    expect(await memories.as(ADMIN).forget(request)).toMatchObject({ count: 1 });
  });
});

describe('a blocked document', () => {
  const TEXT = 'The merger is near.';
  const file = (id: string, path: string) => {
    const place = { start_char: 0, end_char: TEXT.length, from_line: 1, to_line: 1 };
    const content = { title: path, format: 'markdown', text: TEXT, chunks: [{ id: 'c1', ...place }] };
    return { id: id.padEnd(16, '0'), path, size: TEXT.length, mtime_ms: 0, hash: id, content };
  };
  const ONE = file('a1', 'a.md');
  let documents: DocumentService;
  beforeEach(async () => {
    documents = createDocuments(registry);
    const ada = documents.as(ADA);
    await ada.createCollection({ name: 'plans' });
    await ada.putFiles('plans', { put: [ONE, file('b1', 'b.md')] });
    await block('document', `/files/${ONE.id}`);
  });
  const found = async () => (await documents.search({ query: 'merger' })).results.map(({ path }) => path).sort();

  it.each<[string, Caller]>([
    ['the owner of its collection', ADA],
    ['a scan on the machine of the registry', UNRESTRICTED],
  ])('stays blocked when %s removes its file and stores it again', async (_, caller) => {
    const mine = documents.as(caller);
    expect(await mine.putFiles('plans', { remove: [ONE.id, file('b1', '').id] })).toMatchObject({ removed: 1 });
    await expect(mine.putFiles('plans', { put: [ONE] })).resolves.toMatchObject({ stored: 1 });
    expect(await found()).toEqual([]);
    await registry.as(ADMIN).review('document', `/files/${ONE.id}`, { decision: 'approved' });
    expect(await found()).toEqual(['a.md']);
  });

  it('keeps its path in the collection: another file does not take its place', async () => {
    const put = { put: [file('a2', 'a.md'), file('c1', 'c.md')] };
    const refused = { code: 'FORBIDDEN', message: expect.stringContaining('"a.md" was blocked') };
    await expect(documents.as(ADA).putFiles('plans', put)).rejects.toMatchObject(refused);
    await expect(documents.putFiles('plans', put)).rejects.toMatchObject(refused);
    expect(await found()).toEqual(['b.md']);
  });

  it('keeps its collection, which only an admin removes', async () => {
    await expect(documents.as(ADA).removeCollection('plans')).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    expect(await found()).toEqual(['b.md']);
    expect(await documents.as(ADMIN).removeCollection('plans')).toMatchObject({ removed: 2 });
  });
});
