import { expect, it, vi } from 'vitest';
import { registryOver } from '../../../test/support/registry-over.ts';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
import { STRANGER } from '../../model/caller/caller.ts';
import type { FileChange } from '../contract/document-requests.ts';
import { createDocuments } from '../create-documents.ts';
import { FILE_NOTE } from './file-notes.ts';

const file = (n: number, texts: readonly string[]): FileChange => ({
  id: n.toString(16).padStart(16, '0'),
  path: `d${n}.md`,
  size: 10,
  mtime_ms: 1,
  hash: `${n} ${texts.join()}`,
  sent: false,
  content: {
    title: `Document ${n}`,
    format: 'markdown',
    text: texts.join('\n'),
    // Each text is a line.
    chunks: texts.map((text, i) => ({
      id: `${i}a`,
      headings: [],
      start_char: texts.slice(0, i).join('').length + i,
      end_char: texts.slice(0, i).join('').length + i + text.length,
      from_line: i + 1,
      to_line: i + 1,
    })),
    page_starts: [],
    metadata: {},
    warnings: [],
  },
});

it('counts files and chunks without reading the note of every file', async () => {
  const engine = new MemoryEngine({ embedder: null });
  const notes = vi.spyOn(engine.store, 'annotated');
  const readAll = () => notes.mock.calls.filter(([key]) => key === FILE_NOTE).length;
  const registry = registryOver(engine, null);
  const documents = createDocuments(registry);
  for (const name of ['one', 'two', 'none']) await documents.createCollection({ name });
  await documents.putFiles('one', { put: [file(1, ['a']), file(2, ['b', 'c'])] });
  await documents.putFiles('two', { put: [file(2, ['b', 'c'])] });
  const counted = async (of: Pick<typeof documents, 'collections'> = documents) =>
    (await of.collections()).collections.map(({ name, files, chunks }) => `${name} ${files} ${chunks}`);
  expect(await counted()).toEqual(['none 0 0', 'one 2 3', 'two 1 2']);

  const before = readAll();
  await documents.putFiles('one', { put: [file(1, ['a', 'd', 'e'])] });
  expect(await counted()).toEqual(['none 0 0', 'one 2 5', 'two 1 2']);
  expect(await documents.collection('one')).toMatchObject({ files: 2, chunks: 5 });
  expect(await documents.stats('two')).toMatchObject({ sources: 1, chunks: 2 });
  expect(readAll()).toBe(before);

  await registry.changeMany('document', ['/files/0000000000000001'], (found) =>
    [...found.values()].map((document) => ({ ...document, visibility: 'private', owner: 'ana' })),
  );
  expect(await counted(documents.as(STRANGER))).toEqual(['none 0 0', 'one 1 2', 'two 1 2']);
  await documents.removeCollection('two');
  expect(await counted()).toEqual(['none 0 0', 'one 2 5']);
});

it('counts a document once for a collection, however many of its files it is', async () => {
  const registry = registryOver(new MemoryEngine({ embedder: null }), null);
  const documents = createDocuments(registry);
  for (const name of ['one', 'two']) await documents.createCollection({ name });
  const { id, content } = file(1, ['a', 'b']);
  const files = ['first.md', 'second.md'].map((path) => ({ collection: 'one', path }));
  await registry.put({ type: 'document', path: `/files/${id}`, name: 'Document 1', body: content!.text, files });
  await documents.putFiles('two', { put: [file(1, ['a', 'b'])] });
  const { collections } = await documents.collections();
  expect(collections.map(({ name, files, chunks }) => `${name} ${files} ${chunks}`)).toEqual(['one 1 2', 'two 1 2']);
});
