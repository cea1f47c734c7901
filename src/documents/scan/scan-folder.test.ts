import { mkdir, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countingReader, START, type TestDocuments, wordDocuments } from '../../../test/support/document-folder.ts';
import { openDocumentReader } from '../read/open-document-reader.ts';
import { uploadFile } from '../upload-file.ts';
import { countFiles } from './count-files.ts';
import { scanFolder } from './scan-folder.ts';

let documents: TestDocuments;
beforeEach(async () => {
  documents = await wordDocuments();
});
afterEach(() => documents.close());

/** No text in any encoding. */
const BINARY = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0xff, 0xd8, 0xc0]);

const add = (name: string, fields: object = {}) =>
  documents.createCollection({ name, folder: documents.folder, ...fields });

async function scan(name = 'handbook', options: { readonly signal?: AbortSignal; readonly maxFiles?: number } = {}) {
  const reader = countingReader();
  const report = await scanFolder(await documents.collection(name), { documents, reader, ...options });
  return { ...report, read: reader.names.sort() };
}
const paths = async (name = 'handbook') => (await documents.sources(name)).sources.map(({ uri }) => uri);

describe('a scan', () => {
  it('asks once for the state of all files where nothing changed, and writes only that it was there', async () => {
    await documents.write({ 'a.md': 'Tea.', 'b.md': 'Coffee.' });
    await add('handbook');
    await scan();
    const calls: string[] = [];
    const counted = Object.fromEntries(
      Object.entries(documents).map(([name, call]) => [
        name,
        typeof call !== 'function'
          ? call
          : (...args: readonly unknown[]) => {
              calls.push(name);
              return Reflect.apply(call, documents, args);
            },
      ]),
    ) as unknown as TestDocuments;
    const reader = countingReader();
    await scanFolder(await documents.collection('handbook'), { documents: counted, reader });
    expect([calls, reader.names]).toEqual([['fileStates', 'putFiles'], []]);
  });

  it('stores every file once, and reads nothing again that did not change', async () => {
    await documents.write({ 'a.md': '# Tea\nGreen tea.', 'sub/b.md': '# Coffee\nBlack coffee.' });
    await add('handbook');
    expect(await scan()).toMatchObject({ seen: 2, stored: 2, unchanged: 0, removed: 0, read: ['a.md', 'b.md'] });
    expect(await paths()).toEqual(['a.md', 'sub/b.md']);
    expect(await documents.collection('Handbook')).toMatchObject({ files: 2, chunks: 2, scanned_at: START });

    const { revision } = documents.registry.changes(null);
    expect(await scan()).toMatchObject({ seen: 2, stored: 0, unchanged: 2, read: [] });
    const written = documents.registry.changes(revision).ids ?? [];
    expect(written.filter((id) => id.startsWith('document:/files/'))).toEqual([]);
  });

  it('keeps ids and vectors of the chunks that did not change in a file that did', async () => {
    const section = (name: string, body: string) => `# ${name}\n${body}\n`;
    await documents.write({ 'a.md': section('Tea', 'Green tea.') + section('Coffee', 'Black coffee.') });
    await add('handbook');
    await scan();
    await documents.registry.embedPending();
    const before = (await documents.search({ query: 'coffee' })).results[0]!;
    const embedded = documents.embedder.embedded.length;
    await documents.write({ 'a.md': section('Tea', 'White tea, now.') + section('Coffee', 'Black coffee.') });
    expect(await scan()).toMatchObject({ stored: 1, read: ['a.md'] });
    await documents.registry.embedPending();
    const texts = documents.embedder.embedded.slice(embedded).filter((text) => text.includes('Tea: Coffee'));
    expect(texts).toEqual([]);
    const [after] = (await documents.search({ query: 'coffee' })).results;
    expect(after).toMatchObject({ chunk_id: before.chunk_id, text: before.text });
  });

  it('reads no content of a file that was only touched', async () => {
    await documents.write({ 'a.md': '# Tea\nGreen tea.' });
    await add('handbook');
    await scan();
    await utimes(join(documents.folder, 'a.md'), 1, 1);
    expect(await scan()).toMatchObject({ stored: 0, unchanged: 1, read: [] });
    expect(await scan()).toMatchObject({ unchanged: 1, read: [] });
    expect((await documents.fileStates('handbook')).files[0]).toMatchObject({ mtime_ms: 1000 });
  });

  it('removes files that are gone, and moves those with another name', async () => {
    await documents.write({ 'a.md': '# Tea\nGreen tea.', 'b.md': '# Coffee\nBlack coffee.' });
    await add('handbook');
    await scan();
    await rename(join(documents.folder, 'a.md'), join(documents.folder, 'c.md'));
    await rm(join(documents.folder, 'b.md'));
    expect(await scan()).toMatchObject({ stored: 1, removed: 2 });
    expect(await paths()).toEqual(['c.md']);
    expect((await documents.search({ query: 'coffee' })).results).toEqual([]);
  });

  it('obeys .gitignore files, patterns and names that are never documents, and follows no link', async () => {
    await documents.write({
      '.gitignore': '*.log\n/build/\n!keep.log\n',
      'sub/.gitignore': '!special.log\nprivate*\n',
      'a.md': 'a',
      'x.log': 'x',
      'keep.log': 'keep',
      'build/out.md': 'out',
      'sub/special.log': 'special',
      'sub/private.md': 'private',
      'sub/build/in.md': 'in',
      'drafts/d.md': 'd',
      '.hidden/h.md': 'h',
      'node_modules/n.md': 'n',
    });
    await mkdir(join(documents.folder, '../outside-of-it'), { recursive: true });
    await symlink('/etc', join(documents.folder, 'etc'));
    await symlink(join(documents.folder, 'a.md'), join(documents.folder, 'linked.md'));
    await add('handbook', { exclude: ['drafts/'] });
    await scan();
    expect(await paths()).toEqual(['a.md', 'keep.log', 'sub/build/in.md', 'sub/special.log']);
    await add('markdown', { include: ['*.md'], exclude: ['drafts/'] });
    await scan('markdown');
    expect(await paths('markdown')).toEqual(['a.md', 'sub/build/in.md']);
  });

  it('names files that cannot be read once, reads them again when they change, and goes on', async () => {
    await documents.write({ 'a.md': '# Tea\nGreen tea.', 'b.bin': BINARY, 'c.md': ' \n' });
    await add('handbook');
    const first = await scan();
    expect(first).toMatchObject({ stored: 1 });
    expect(first.unread.map(({ path, code }) => [path, code]).sort()).toEqual([
      ['b.bin', 'binary'],
      ['c.md', 'no_text'],
    ]);
    expect(await scan()).toMatchObject({ stored: 0, read: [], unread: [{}, {}] });
    expect((await documents.sources('handbook')).sources[1]).toMatchObject({ status: 'failed', uri: 'b.bin' });
    await documents.write({ 'c.md': 'Words.' });
    expect(await scan()).toMatchObject({ stored: 1, read: ['c.md'], unread: [{}] });
  });

  it('keeps no longer list of unread files than a request may have', async () => {
    const long = `${'日本'.repeat(40)}/${'語'.repeat(80)}`;
    const files = Array.from({ length: 650 }, (_, n) => [`${long}-${n}.bin`, BINARY] as const);
    await documents.write(Object.fromEntries(files));
    await add('handbook');
    const read = async () => ({ failed: 'binary' as const, message: '語'.repeat(5000) });
    const report = await scanFolder(await documents.collection('handbook'), { documents, reader: { read } });
    expect([report.seen, report.unread[0]?.message.length]).toEqual([650, 2000]);
    expect(report.unread.length).toBeGreaterThan(500);
    expect(Buffer.byteLength(JSON.stringify(report.unread))).toBeLessThan(4_100_000);
    expect((await documents.collection('handbook')).unread).toBe(report.unread.length);
  });

  it('names files that were read with a warning, and keeps the warning', async () => {
    await documents.write({ 'a.md': 'Tea.', 'b.pdf': 'Coffee.' });
    await add('handbook');
    const inner = countingReader();
    const reader: typeof inner = {
      ...inner,
      read: async (input) => {
        const result = await inner.read(input);
        const isPdf = 'path' in input && input.path.endsWith('.pdf');
        return isPdf ? { ...result, warnings: ['Page 2 is damaged.', 'Page 3 has no text.'] } : result;
      },
    };
    const scanned = async () => scanFolder(await documents.collection('handbook'), { documents, reader });
    const message = 'Page 2 is damaged. Page 3 has no text.';
    expect(await scanned()).toMatchObject({ stored: 2, unread: [], warned: [{ path: 'b.pdf', message }] });
    await utimes(join(documents.folder, 'b.pdf'), 5, 5);
    expect(await scanned()).toMatchObject({ stored: 0, unchanged: 2, warned: [] });
    const { sources } = await documents.sources('handbook');
    expect(sources.map((source) => source.message)).toEqual([undefined, message]);
  });

  it('does not read a file of terabytes to its end before it names it', async () => {
    await documents.write({ 'a.md': 'Tea.', 'log.txt': '' });
    await truncate(join(documents.folder, 'log.txt'), 2 ** 40);
    await add('handbook');
    const reader = openDocumentReader();
    try {
      const report = await scanFolder(await documents.collection('handbook'), { documents, reader });
      expect(report).toMatchObject({ stored: 1, unread: [{ path: 'log.txt', code: 'too_large' }] });
    } finally {
      await reader.close();
    }
  });

  it('no longer finds what a file said before it became unreadable', async () => {
    await documents.write({ 'a.md': '# Tea\nGreen tea.' });
    await add('handbook');
    await scan();
    await documents.write({ 'a.md': BINARY });
    expect(await scan()).toMatchObject({ removed: 1, unread: [{ path: 'a.md' }] });
    expect((await documents.search({ query: 'tea' })).results).toEqual([]);
  });

  it('keeps a file that is being written, and reads it the next time', async () => {
    await documents.write({ 'log.md': 'Tea.' });
    await add('handbook');
    await scan();
    await documents.write({ 'log.md': 'Tea and cof' });
    const read = async () => ({ failed: 'changed' as const, message: 'log.md changed while it was read.' });
    const during = await scanFolder(await documents.collection('handbook'), { documents, reader: { read } });
    expect(during).toMatchObject({ stored: 0, removed: 0, unread: [{ path: 'log.md', code: 'changed' }] });
    expect((await documents.search({ query: 'tea' })).results).toHaveLength(1);
    await documents.write({ 'log.md': 'Tea and coffee.' });
    expect(await scan()).toMatchObject({ stored: 1, unread: [] });
    expect((await documents.search({ query: 'coffee' })).results).toHaveLength(1);
  });

  it('removes a file that is deleted while others are read', async () => {
    const names = Array.from({ length: 3 }, (_, n) => `${n}.md`);
    const write = (words: string) => documents.write(Object.fromEntries(names.map((name) => [name, words])));
    await write('Tea.');
    await add('handbook');
    await scan();
    await write('Coffee, and more.');
    const reader = countingReader();
    const deleting: typeof reader = {
      ...reader,
      read: async (input) => {
        const result = await reader.read(input);
        for (const name of names.filter((one) => one !== reader.names[0])) {
          await rm(join(documents.folder, name), { force: true });
        }
        return result;
      },
    };
    const report = await scanFolder(await documents.collection('handbook'), { documents, reader: deleting });
    expect(report).toMatchObject({ seen: 3, stored: 1, removed: 2, unread: [] });
    expect((await documents.collection('handbook')).files).toBe(1);
  });

  it('takes names in any script, and names those that are no text', async () => {
    const names = [
      'Ünïcode ñ.md',
      '日本語/説明.md',
      'العربية.md',
      'हिन्दी.md',
      '👩‍🚀.md',
      "it's $(x) `y` & z;.md",
      'a\\b.md',
    ];
    await documents.write(Object.fromEntries(names.map((name, n) => [name, `Tea number ${n}.`])));
    const broken = Buffer.concat([Buffer.from(`${documents.folder}/`), Buffer.from([0x66, 0xff, 0x2e, 0x6d, 0x64])]);
    await writeFile(broken, 'Coffee.');
    await documents.write({ 'line\nbreak.md': 'Milk.' });
    await add('handbook');
    const report = await scan();
    expect(report).toMatchObject({ seen: names.length, stored: names.length, unread: [] });
    expect([...report.problems].sort()).toEqual([
      'f\ufffd.md: The name is not text.',
      'line?break.md: The name is not text.',
    ]);
    expect(await paths()).toEqual([...names].sort());
    for (const [n, name] of names.entries()) {
      expect((await documents.read(`handbook/${name}`)).text).toBe(`Tea number ${n}.`);
    }
    await rm(join(documents.folder, names[0]!));
    expect(await scan()).toMatchObject({ removed: 1, problems: [expect.anything(), expect.anything()] });
  });

  it('goes on where it was interrupted', async () => {
    const files = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${i}.md`, `# Number ${i}\nText ${i}.`]));
    await documents.write(files);
    await add('handbook');
    const abort = new AbortController();
    const reader = countingReader();
    const onProgress = ({ seen }: { readonly seen: number }) => {
      if (seen === 7) abort.abort();
    };
    const handbook = await documents.collection('handbook');
    await expect(scanFolder(handbook, { documents, reader, onProgress, signal: abort.signal })).rejects.toThrow();
    expect((await documents.collection('handbook')).files).toBe(7);
    expect(await scan()).toMatchObject({ stored: 13, unchanged: 7 });
  });

  it('keeps one document for a file in two collections', async () => {
    await documents.write({ 'sub/a.md': '# Tea\nGreen tea.' });
    await add('handbook');
    await documents.createCollection({ name: 'drinks', folder: join(documents.folder, 'sub') });
    await scan();
    await scan('drinks');
    const { results } = await documents.search({ query: 'green tea' });
    expect(results.map(({ collections }) => collections)).toEqual([['handbook', 'drinks']]);
    expect((await documents.search({ query: 'tea', collections: ['drinks'] })).results[0]!.path).toBe('a.md');
    expect(await documents.removeCollection('handbook')).toEqual({ name: 'handbook', removed: 0, kept: 1 });
    expect((await documents.search({ query: 'tea' })).results).toMatchObject([{ collections: ['drinks'] }]);
    expect(await scan('drinks')).toMatchObject({ unchanged: 1 });
    await documents.removeCollection('drinks');
    expect(await documents.registry.page({ types: ['document'] })).toMatchObject({ entities: [] });
  });

  it('leaves a file alone that was sent in place of one of the folder', async () => {
    await documents.write({ 'a.md': '# Tea\nGreen tea.' });
    await add('handbook');
    await scan();
    const sent = { path: 'a.md', bytes: new TextEncoder().encode('# Mate\nA gourd.') };
    const reader = openDocumentReader();
    for await (const _ of uploadFile({ documents, reader, now: () => new Date(0) }, 'handbook', sent));
    await reader.close();
    const found = async (query: string) => (await documents.search({ query })).results.map(({ text }) => text);
    for (let scans = 0; scans < 3; scans++) {
      expect(await paths()).toEqual(['a.md']);
      expect([await found('gourd'), (await found('green tea')).filter((text) => text.includes('Green'))]).toEqual([
        ['A gourd.'],
        [],
      ]);
      await documents.write({ 'a.md': `# Tea\nGreen tea, number ${scans}.` });
      expect(await scan()).toMatchObject({ stored: 0, unchanged: 1, removed: 0 });
    }
  });

  it('leaves files alone that were sent', async () => {
    await documents.write({ 'a.md': '# Tea\nGreen tea.' });
    await add('handbook');
    const sent = { path: 'sent.md', bytes: new TextEncoder().encode('# Mate\nA gourd.') };
    for await (const _ of uploadFile(
      { documents, reader: countingReader(), now: () => new Date(START) },
      'handbook',
      sent,
    ));
    expect(await scan()).toMatchObject({ seen: 1, stored: 1, removed: 0 });
    expect(await paths()).toEqual(['a.md', 'sent.md']);
  });

  it('of a folder that is gone says so and removes nothing', async () => {
    await documents.write({ 'a.md': '# Tea\nGreen tea.' });
    await add('handbook');
    await scan();
    await rm(documents.folder, { recursive: true });
    await expect(scan()).rejects.toMatchObject({ code: 'NOT_FOUND', field: 'folder' });
    expect((await documents.collection('handbook')).files).toBe(1);
  });

  it('cuts chunks again when the options change', async () => {
    const sentences = Array.from({ length: 40 }, (_, i) => `Green tea number ${i} is good.`);
    await documents.write({ 'a.md': `# Tea\n${sentences.join(' ')}` });
    await add('handbook');
    await scan();
    await documents.changeCollection('handbook', { chunking: { max_chars: 200, overlap_chars: 20 } });
    expect(await scan()).toMatchObject({ stored: 1 });
    expect((await documents.collection('handbook')).chunks).toBeGreaterThan(2);
  });

  it('stops at the most files and says so, without removing the others', async () => {
    await documents.write({ 'a.md': 'a', 'b.md': 'b', 'c.md': 'c' });
    await add('handbook');
    await scan();
    const report = await scan('handbook', { maxFiles: 2 });
    expect(report).toMatchObject({ seen: 2, removed: 0 });
    expect(report.problems[0]).toContain('more than 2 files');
    expect((await documents.collection('handbook')).files).toBe(3);
  });

  it('counts files no further than the limit', async () => {
    await documents.write({ 'a.md': 'a', 'b.md': 'b', 'c.md': 'c', 'd.png': 'd' });
    const collection = { name: 'handbook', folder: documents.folder, include: [], exclude: ['*.png'] };
    expect(await countFiles(collection, 10)).toBe(3);
    expect(await countFiles(collection, 1)).toBe(2);
  });
});
