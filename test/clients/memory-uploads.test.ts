import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DocumentReader } from '../../src/documents/contract/document-reader.ts';
import { openDocumentReader } from '../../src/documents/read/open-document-reader.ts';
import { OLD_NAMES } from '../../src/mcp/memory-service/old-names.ts';
import { SERVICE_TOOLS } from '../../src/mcp/memory-service/service-tools.ts';
import { TOOLSET_PATHS } from '../../src/mcp/toolset-names.ts';
import { temporaryFolder } from '../support/engine-fixtures.ts';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';
import { START, type TestMemories, wordMemories } from '../support/word-memories.ts';

/** Paragraphs that are chunks of their own. */
const TEXT = ['harbor', 'lamp', 'river'].map((word) => `The ${word} ${'is old and quiet '.repeat(5)}.`).join('\n\n');

describe('files that are sent', () => {
  let server: ServedRegistry;
  beforeEach(async () => {
    server = await serveRegistry();
  });
  afterEach(() => server.close());

  function send(
    path: string,
    files: Readonly<Record<string, string | Uint8Array>>,
    fields: Record<string, string> = {},
  ) {
    const body = new FormData();
    const field = path.endsWith('batch-upload') ? 'files' : 'file';
    for (const [name, content] of Object.entries(files)) body.append(field, new Blob([content as never]), name);
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    return server.ask('POST', path, { body });
  }
  const small = { chunk_size: '110', chunk_overlap: '0' };

  it('become memories of an untrusted document, and are listed, read in order and removed', async () => {
    const { json } = await send('/api/documents/upload', { 'guide.md': TEXT }, { ...small, tags: 'Ops, home' });
    expect(json).toMatchObject({ success: true, status: 'completed', filename: 'guide.md', total_chunks: 3 });
    const { upload_id: id } = json;
    const content = (await server.ask('GET', `/api/documents/search-content/${id}?limit=2`)).json;
    expect([content.total_found, content.filename]).toEqual([3, 'guide.md']);
    expect(content.memories.map((one: { chunk_index: number }) => one.chunk_index)).toEqual([0, 1]);
    expect(content.memories[0]).toMatchObject({
      content: expect.stringContaining('harbor'),
      tags: ['ops', 'home', `upload_id:${id}`],
      metadata: { upload_id: id, source_file: 'guide.md', file_type: 'md', file_size: TEXT.length, total_chunks: 3 },
    });
    const { memories } = (await server.send('POST', '/api/memory:list', {})).json;
    expect(memories.map((one: { source_class: string }) => one.source_class)).toEqual(Array(3).fill('document'));
    expect((await server.ask('GET', `/api/documents/status/${id}`)).json).toMatchObject({
      ...{ upload_id: id, status: 'completed', filename: 'guide.md', file_size: TEXT.length },
      ...{ chunks_processed: 3, chunks_stored: 3, progress: 100, errors: [] },
    });
    expect((await server.ask('GET', '/api/documents/history')).json).toMatchObject({
      uploads: [{ upload_id: id, filename: 'guide.md' }],
      total: 1,
    });
    expect((await server.ask('DELETE', `/api/documents/remove/${id}`)).json).toMatchObject({ memories_deleted: 3 });
    expect((await server.ask('GET', `/api/documents/status/${id}`)).status).toBe(404);
    expect((await server.ask('GET', '/api/documents/history')).json).toEqual({ uploads: [], total: 0 });
  });

  it('have the same id again, and store nothing twice', async () => {
    const first = (await send('/api/documents/upload', { 'a.txt': TEXT }, small)).json;
    const again = (await send('/api/documents/upload', { 'a.txt': TEXT }, small)).json;
    expect(again).toMatchObject({ upload_id: first.upload_id, chunks_stored: 0, duplicates: 3 });
    const other = (
      await send('/api/documents/upload', { 'b.txt': `${TEXT}\n\nThe gate ${'is new and loud '.repeat(6)}.` }, small)
    ).json;
    expect(other).toMatchObject({ total_chunks: 4, chunks_stored: 1, duplicates: 3 });
    const { errors } = (await server.ask('GET', `/api/documents/status/${other.upload_id}`)).json;
    expect(errors[0]).toContain('3 of 4 chunks are not part of this upload');
  });

  it('overlap less by default in smaller chunks', async () => {
    const { json } = await send('/api/documents/upload', { 'a.txt': TEXT }, { chunk_size: '120' });
    expect(json).toMatchObject({ success: true, total_chunks: 3 });
  });

  it('say so when all of their text was stored before under another name', async () => {
    await send('/api/documents/upload', { 'a.txt': 'one harbor' });
    const { json } = await send('/api/documents/upload', { 'b.txt': 'one harbor' });
    expect(json).toMatchObject({ chunks_stored: 0, duplicates: 1 });
    expect(json.warnings).toEqual([expect.stringContaining(`there is no upload ${json.upload_id}`)]);
    expect((await server.ask('GET', `/api/documents/status/${json.upload_id}`)).status).toBe(404);
    expect((await send('/api/documents/upload', { 'a.txt': 'one harbor' })).json.warnings).toEqual([]);
  });

  it.each([
    ['../../etc/passwd', 'etc/passwd'],
    ['C:\\fakepath\\a.txt', 'C:/fakepath/a.txt'],
    ['a\u0007b\u001b[31m.txt', 'ab[31m.txt'],
    ['a\u202etxt.md', 'atxt.md'],
    ['./日本語 ☃.md', '日本語 ☃.md'],
  ])('named %j are stored as %j', async (sent, name) => {
    const { json } = await send('/api/documents/upload', { [sent]: 'one harbor' });
    expect(json.filename).toBe(name);
    const { memories } = (await server.ask('GET', `/api/documents/search-content/${json.upload_id}`)).json;
    expect(memories[0].metadata.source_file).toBe(name);
  });

  it.each(['../..', 'n'.repeat(1001)])('named %j are refused', async (name) => {
    const { error } = await send('/api/documents/upload', { [name]: 'one harbor' });
    expect([error?.code, error?.message]).toEqual(['INVALID_FILE', expect.stringContaining('1 to 1000 characters')]);
  });

  it('leave out a memory that has their tag and was not read from a document', async () => {
    const { upload_id: id } = (await send('/api/documents/upload', { 'a.txt': 'one harbor' })).json;
    await server.send('POST', '/api/memories', { content: 'what the user said', tags: [`upload_id:${id}`] });
    expect((await server.ask('GET', `/api/documents/status/${id}`)).json).toMatchObject({
      ...{ filename: 'a.txt', chunks_stored: 1, total_chunks: 1 },
    });
    expect((await server.ask('GET', `/api/documents/search-content/${id}`)).json.total_found).toBe(1);
    expect((await server.ask('DELETE', `/api/documents/remove/${id}`)).json.memories_deleted).toBe(1);
    expect((await server.send('POST', '/api/memory:list', {})).json.total).toBe(1);
  });

  it('are in the history newest first, a large old one after small new ones', async () => {
    await send('/api/documents/upload', { 'old.md': TEXT }, small);
    for (let n = 0; n < 101; n++) await send('/api/documents/upload', { [`${n}.txt`]: `note ${n}` });
    const { uploads, total } = (await server.ask('GET', '/api/documents/history')).json;
    expect([uploads.length, total, uploads[0].filename]).toEqual([100, 102, '100.txt']);
    expect(uploads.map((one: { filename: string }) => one.filename)).not.toContain('old.md');
  });

  it('are read whole, with as many chunks as asked for', async () => {
    const long = Array.from({ length: 130 }, (_, n) => `${n} ${'is old and quiet '.repeat(6)}`).join('\n\n');
    const { json } = await send(
      '/api/documents/upload',
      { 'long.txt': long },
      { chunk_size: '110', chunk_overlap: '0' },
    );
    const read = async (query: string) =>
      (await server.ask('GET', `/api/documents/search-content/${json.upload_id}${query}`)).json.memories.length;
    expect(json.total_chunks).toBeGreaterThan(120);
    expect([await read(''), await read('?limit=105')]).toEqual([json.total_chunks, 105]);
    for (const limit of ['0', '1001', 'many']) {
      const { error } = await server.ask('GET', `/api/documents/search-content/${json.upload_id}?limit=${limit}`);
      expect(error?.field).toBe('limit');
    }
  });

  it('come in a batch, and one that cannot be read is named alone', async () => {
    const bad = new Uint8Array([0x25, 0x50, 0x44, 0x46, 0x2d, 1, 2, 3]);
    const { json, status } = await send('/api/documents/batch-upload', {
      'a.txt': 'one harbor',
      'b.pdf': bad,
      'c.md': 'two lamps',
    });
    expect([status, json.filename, json.chunks_stored]).toEqual([200, 'Batch (2 files)', 2]);
    expect(json.errors).toEqual([expect.stringContaining('b.pdf')]);
    const batch = (await server.ask('GET', `/api/documents/status/${json.upload_id}`)).json;
    expect([batch.chunks_stored, batch.file_size]).toEqual([2, 'one harbortwo lamps'.length]);
  });

  it('are refused with too many characters in the name', async () => {
    const name = `${'x'.repeat(1100)}.txt`;
    const { status, error } = await send('/api/documents/upload', { [name]: TEXT });
    expect([status, error?.code, error?.field]).toEqual([422, 'INVALID_FILE', 'file']);
    const { json } = await send('/api/documents/batch-upload', { 'a.txt': 'one harbor', [name]: TEXT });
    expect([json.chunks_stored, json.errors]).toEqual([1, [expect.stringContaining('name')]]);
  });

  it('are removed by tag, and nothing that was not uploaded', async () => {
    const { json } = await send('/api/documents/upload', { 'a.txt': 'one harbor' }, { tags: 'ops' });
    await server.send('POST', '/api/memories', { content: 'what the user said', tags: ['ops'] });
    const read = { content: 'from a document that was not uploaded', tags: ['ops'], source_class: 'document' };
    await server.send('POST', '/api/memory:batch', { memories: [read] });
    const removed = (await server.send('DELETE', '/api/documents/remove-by-tags', ['ops'])).json;
    expect(removed).toMatchObject({ memories_deleted: 1, affected_uploads: [json.upload_id] });
    expect((await server.send('POST', '/api/memory:list', {})).json.total).toBe(2);
    const none = await server.ask('DELETE', '/api/documents/remove-by-tags');
    expect([none.status, none.error?.field]).toEqual([422, 'tags']);
  });

  it.each([
    [{ chunk_size: 'many' }, 'chunk_size'],
    [{ chunk_size: '-5' }, 'chunk_size'],
    [{ chunk_size: '0' }, 'chunk_size'],
    [{ chunk_size: '1000001' }, 'chunk_size'],
    [{ chunk_overlap: '900' }, 'chunk_overlap'],
    [{ chunk_size: '200', chunk_overlap: '200' }, 'chunk_overlap'],
    [{ tags: 'x'.repeat(101) }, 'tags.0'],
    [{ memory_type: 'x'.repeat(65) }, 'memory_type'],
  ])('are refused with %j, and nothing is stored', async (fields, field) => {
    const { status, error } = await send('/api/documents/upload', { 'a.txt': TEXT }, fields);
    expect([status, error?.field]).toEqual([422, field]);
    expect((await server.send('POST', '/api/memory:list', {})).json.total).toBe(0);
  });

  it('are refused without a file, without text and as another body', async () => {
    expect((await send('/api/documents/upload', {})).error?.field).toBe('file');
    expect((await server.send('POST', '/api/documents/upload', { file: 'x' })).error?.message).toContain('not a form');
    const { error } = await send('/api/documents/upload', { 'a.txt': TEXT }, { chunk_overlap: '900' });
    expect(error?.message).toContain('from 0 to 500, half of chunk_size');
    expect((await send('/api/documents/upload', { 'a.txt': '' })).error?.code).toBe('INVALID_FILE');
    expect((await server.ask('GET', '/api/documents/status/nothing')).error?.code).toBe('NOT_FOUND');
  });

  it('are not read from the disk of a server because a request names a path', async () => {
    const call = (name: string, args: object) =>
      fetch(server.url + TOOLSET_PATHS.memory, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
      });
    for (const [name, args] of [
      ['memory_ingest', { file_path: '/etc/hostname' }],
      ['ingest_document', { file_path: '/etc/hostname' }],
      ['ingest_directory', { directory_path: '/etc' }],
    ] as const) {
      const text = await (await call(name, args)).text();
      expect(text).toContain('does not read files of its own disk');
      expect(text).toContain('/api/documents/upload');
    }
    expect((await server.send('POST', '/api/memory:list', {})).json.total).toBe(0);
  });
});

describe('files that the user of a local server names', () => {
  const folder = temporaryFolder();
  let reader: DocumentReader;
  let memories: TestMemories;
  beforeAll(() => {
    reader = openDocumentReader();
    mkdirSync(join(folder.path, 'sub'));
    writeFileSync(join(folder.path, 'guide.md'), TEXT);
    writeFileSync(join(folder.path, 'data.json'), '{"harbor": "open"}');
    writeFileSync(join(folder.path, 'main.ts'), 'const gate = 1;');
    writeFileSync(join(folder.path, 'bad.pdf'), 'no PDF');
    writeFileSync(join(folder.path, 'sub', 'deep.txt'), 'a deep river');
  });
  afterAll(async () => {
    await reader.close();
    folder.remove();
  });
  beforeEach(async () => {
    memories = await wordMemories();
  });
  afterEach(() => memories.registry.close());

  const call = (name: string, args: Record<string, unknown>) =>
    (OLD_NAMES[name] ?? SERVICE_TOOLS.find((tool) => tool.name === name)!).run(memories, args, {
      reader,
      now: () => new Date(START),
    });
  const filesIn = async () =>
    [
      ...new Set((await memories.list({ page_size: 100 })).memories.map(({ metadata }) => metadata.source_file)),
    ].toSorted();

  it('become memories: one file', async () => {
    const text = await call('memory_ingest', {
      ...{ file_path: join(folder.path, 'guide.md'), chunk_size: 110, chunk_overlap: 0, tags: ['ops'] },
    });
    expect(text).toMatch(/^Ingested guide\.md: 3 chunks stored \(upload_id: [0-9a-f]{32}\)/);
    const { memories: found } = await memories.search({ query: 'lamp' });
    expect(found[0]).toMatchObject({
      memory_type: 'document',
      source_class: 'document',
      tags: ['ops', expect.any(String)],
    });
    expect(await call('ingest_document', { file_path: join(folder.path, 'guide.md') })).toContain('1 chunk stored');
  });

  it('become memories: a folder, with its endings, its depth and its limit', async () => {
    const text = await call('ingest_directory', { directory_path: folder.path });
    expect(text).toContain('Ingested 3 files');
    expect(text).toContain('bad.pdf');
    expect(await filesIn()).toEqual(['data.json', 'guide.md', 'sub/deep.txt']);
    await memories.forget({ memory_type: 'document' });
    await call('memory_ingest', { directory_path: folder.path, recursive: false, file_extensions: ['.ts', 'txt'] });
    expect(await filesIn()).toEqual(['main.ts']);
    const cut = await call('memory_ingest', { directory_path: folder.path, max_files: 1, file_extensions: 'md,json' });
    expect(cut).toContain('There are more files: raise max_files (1)');
    const none = await call('memory_ingest', { directory_path: folder.path, file_extensions: ['csv', 'tsv'] });
    expect(none).toBe(`There is no file that ends in csv, tsv in ${JSON.stringify(folder.path)}.`);
  });

  it('have their size, and are named with their path when they cannot be read', async () => {
    await call('memory_ingest', { file_path: join(folder.path, 'guide.md') });
    expect((await memories.list()).memories[0]?.metadata.file_size).toBe(TEXT.length);
    const missing = join(folder.path, 'missing.md');
    await expect(call('memory_ingest', { file_path: missing })).rejects.toThrow(JSON.stringify(missing));
  });

  it.each([
    [{}, 'file_path'],
    [{ file_path: 'a', directory_path: 'b' }, 'file_path'],
    [{ file_path: '' }, 'file_path'],
    [{ file_path: '/no/such/file.txt' }, 'file'],
    [{ directory_path: '/no/such/folder' }, 'directory_path'],
    [{ directory_path: '$folder', max_files: 0 }, 'max_files'],
    [{ directory_path: '$folder', file_extensions: ['../x'] }, 'file_extensions'],
    [{ directory_path: '$folder', file_extensions: [] }, 'file_extensions'],
    [{ directory_path: '$folder', recursive: 'no' }, 'recursive'],
    [{ directory_path: '$folder', chunk_size: 1.5 }, 'chunk_size'],
  ])('are refused with %j', async (args, field) => {
    const filled = JSON.parse(JSON.stringify(args).replace('$folder', folder.path));
    await expect(call('memory_ingest', filled)).rejects.toMatchObject({ field });
    expect(await filesIn()).toEqual([]);
  });
});
