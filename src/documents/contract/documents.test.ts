import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countingReader, type TestDocuments, wordDocuments } from '../../../test/support/document-folder.ts';
import { scanFolder } from '../scan/scan-folder.ts';
import { parentOf, pathTo, placesAround } from '../search/expand-chunks.ts';
import { expandSchema } from './document-requests.ts';

let documents: TestDocuments;
beforeAll(async () => {
  documents = await wordDocuments();
  await documents.write({
    'guide/brew.md': [
      '---',
      'tags: [tea, kitchen]',
      '---',
      '# Brewing',
      'How drinks are made.',
      '## Green tea',
      'Green tea needs water of 80 degrees.',
      '## Black tea',
      'Black tea needs boiling water.',
      '## Mate',
      'Mate needs a gourd.',
    ].join('\n'),
    'rules/parts.md': '# Parts\nThe kettle has part number KX-4471.\n',
  });
  await documents.createCollection({
    name: 'handbook',
    folder: documents.folder,
    note: 'The handbook of the kitchen.',
  });
  await documents.changeCollection('handbook', { notes: [{ folder: 'guide/', note: 'For beginners.' }] });
  await scanFolder(await documents.collection('handbook'), { documents, reader: countingReader() });
  await documents.createCollection({ name: 'empty' });
  await documents.registry.embedPending();
});
afterAll(() => documents.close());

describe('a search of documents', () => {
  it('finds each chunk by itself, with its source, lines, headings, position and notes', async () => {
    const { results, total } = await documents.search({ query: 'which tea needs water', limit: 2 });
    expect(total).toBe(2);
    expect(results.map(({ heading_path }) => heading_path.at(-1)).sort()).toEqual(['Black tea', 'Green tea']);
    const green = results.find(({ heading_path }) => heading_path.at(-1) === 'Green tea')!;
    expect(green).toMatchObject({
      text: 'Green tea needs water of 80 degrees.',
      path: 'guide/brew.md',
      collections: ['handbook'],
      source_url: 'dowser://docs/handbook/guide/brew.md',
      source_type: 'markdown',
      heading_path: ['Brewing', 'Green tea'],
      position: { index: 1, from_line: 7, to_line: 7, page: null },
      notes: ['The handbook of the kitchen.', 'For beginners.'],
    });
    expect((await documents.chunk(green.chunk_id)).text).toBe(green.text);
  });

  it('filters by collection before it limits, and says which collection was meant', async () => {
    expect((await documents.search({ query: 'tea', collections: ['empty'] })).results).toEqual([]);
    expect((await documents.search({ query: 'tea', collections: ['HANDBOOK'], limit: 1 })).results).toHaveLength(1);
    await expect(documents.search({ query: 'tea', collections: ['handbok'] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      ownHint: "Did you mean 'handbook'?",
    });
  });

  it('says that a collection is empty, or that there is none, and not that the registry is empty', async () => {
    const inEmpty = await documents.search({ query: 'tea', collections: ['empty'], preset: 'keyword' });
    expect(inEmpty.warnings).toEqual(['No documents yet in empty.']);
    const none = await wordDocuments();
    await none.registry.put({ type: 'skill', path: '/tea', name: 'Tea' });
    const { warnings } = await none.search({ query: 'tea', preset: 'keyword' });
    await none.close();
    expect(warnings).toEqual(['There is no collection yet: add one with `dowser docs add`.']);
  });

  it('finds a part number alone without a model, and first among other words', async () => {
    const before = documents.embedder.embedded.length;
    const { results, query_class } = await documents.search({ query: 'KX-4471' });
    expect(query_class).toBe('identifier');
    expect(results[0]!.text).toContain('KX-4471');
    expect(documents.embedder.embedded.length).toBe(before);
    const mixed = await documents.search({ query: 'tea water brewing KX-4471' });
    expect(mixed.results.slice(0, 3).some(({ text }) => text.includes('KX-4471'))).toBe(true);
  });

  it('joins typed sub-queries in one ranking: words for the keyword leg, meanings for the vectors', async () => {
    const before = documents.embedder.embedded.length;
    const { results } = await documents.search({
      searches: [
        { type: 'keyword', query: 'gourd' },
        { type: 'meaning', query: 'what does mate need' },
        { type: 'hypothetical', query: 'Mate needs a cup and a straw' },
      ],
      intent: 'buying kitchen ware',
    });
    expect(results[0]!.heading_path.at(-1)).toBe('Mate');
    expect(documents.embedder.embedded.slice(before)).toEqual([
      'what does mate need',
      'Mate needs a cup and a straw',
      'buying kitchen ware',
    ]);
    await expect(documents.search({ searches: [{ type: 'other' as never, query: 'x' }] })).rejects.toMatchObject({
      field: 'searches.0.type',
    });
    await expect(documents.search({})).rejects.toMatchObject({ code: 'EMPTY_SEARCH' });
  });

  it('gives a code in a meaning its guarantee, but not one in a made-up answer', async () => {
    const meant = await documents.search({ searches: [{ type: 'meaning', query: 'which kettle has KX-4471' }] });
    expect(meant.query_class).toBe('mixed');
    const made = await documents.search({
      query: 'tea',
      searches: [{ type: 'hypothetical', query: 'It is KX-4471' }],
    });
    expect(made.results[0]!.text).not.toContain('KX-4471');
  });

  it('IF-18: asks the model once, and nothing else that takes time', async () => {
    documents.embedder.embedded.length = 0;
    const { mode } = await documents.search({ query: 'which tea needs hot water' });
    expect([mode, documents.embedder.embedded]).toEqual(['hybrid', ['which tea needs hot water']]);
  });

  it('adds the chunks around a hit, never those of another document or of another hit', async () => {
    const { results } = await documents.search({ query: 'gourd', limit: 1, expand: { before: 5, after: 5 } });
    expect(results[0]!.nearby!.map(({ role, heading_path }) => [role, heading_path.at(-1)])).toEqual([
      ['parent', 'Brewing'],
      ['before', 'Green tea'],
      ['before', 'Black tea'],
    ]);
    const two = await documents.search({ query: 'which tea needs water', limit: 2, expand: { parent: false } });
    const ids = two.results.map(({ chunk_id }) => chunk_id);
    for (const { nearby } of two.results) expect(nearby!.some(({ chunk_id }) => ids.includes(chunk_id))).toBe(false);
  });

  it('IF-14 and IF-15: without a model the keyword leg answers, and the answer says so', async () => {
    documents.embedder.fail();
    const { results, mode, warnings } = await documents.search({ query: 'what is a gourd for' });
    documents.embedder.recover();
    expect(results[0]!.text).toContain('gourd');
    expect(mode).toBe('lexical-only');
    expect(warnings.join()).toContain('not available');
  });

  it('is found by the ordinary search too, each document once', async () => {
    const { results } = await documents.registry.search({ query: 'tea needs water', entity_types: ['document'] });
    expect(results.filter(({ name }) => name === 'Brewing')).toHaveLength(1);
  });

  it('lists more than one page of results in one order', async () => {
    const many = await wordDocuments();
    const body = Array.from({ length: 120 }, (_, i) => `# Room ${i}\nThe lamp of room ${i} is on.`).join('\n');
    await many.write({ 'rooms.md': body });
    await many.createCollection({ name: 'rooms', folder: many.folder });
    await scanFolder(await many.collection('rooms'), { documents: many, reader: countingReader() });
    const { results } = await many.search({ query: 'lamp', limit: 100 });
    expect(new Set(results.map(({ chunk_id }) => chunk_id)).size).toBe(100);
    const first = await many.search({ query: 'lamp', limit: 50 });
    expect(results.slice(0, 50).map(({ chunk_id }) => chunk_id)).toEqual(first.results.map(({ chunk_id }) => chunk_id));
    await many.close();
  });
});

describe('reading a document', () => {
  it('gives lines of it, named by collection and path, by id or by chunk', async () => {
    const part = await documents.read('handbook/guide/brew.md', { from_line: 6, to_line: 7 });
    expect(part).toMatchObject({
      text: '## Green tea\nGreen tea needs water of 80 degrees.',
      from_line: 6,
      to_line: 7,
      lines: 11,
      pages: null,
      truncated: false,
    });
    expect((await documents.read(part.source_id, { from_line: 6, to_line: 7 })).text).toBe(part.text);
    const [hit] = (await documents.search({ query: 'gourd' })).results;
    expect((await documents.read(hit!.chunk_id)).path).toBe('guide/brew.md');
    expect(await documents.read('guide/brew.md', { max_chars: 10 })).toMatchObject({
      text: '---\ntags: ',
      truncated: true,
    });
  });

  it.each([
    ['one\ntwo\n', 2, 2],
    ['one\ntwo', 2, 2],
    ['one\n\n', 2, 2],
    ['\n', 1, 1],
  ])('counts the lines of %j as an editor does', async (text, lines, to_line) => {
    const id = 'abcdefabcdefabcd';
    const chunks = [{ id: 'aa', start_char: 0, end_char: text.length, from_line: 1, to_line: 1 }];
    const content = { title: 'Lines', format: 'text' as const, text, chunks, warnings: [], metadata: {} };
    await documents.putFiles('handbook', {
      put: [{ id, path: 'lines.txt', size: text.length, mtime_ms: 0, hash: 'l', content }],
    });
    expect(await documents.read(id)).toMatchObject({ from_line: 1, to_line, lines });
    await expect(documents.read(id, { from_line: lines + 1 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await documents.putFiles('handbook', { remove: [id] });
  });

  it('refuses a range that does not exist, pages of a text without any, and an unknown name', async () => {
    const read = (range: object) => documents.read('handbook/guide/brew.md', range);
    await expect(read({ from_line: 12 })).rejects.toMatchObject({ code: 'INVALID_REQUEST', details: { max: 11 } });
    await expect(read({ from_line: 5, to_line: 4 })).rejects.toThrow('before it begins');
    await expect(read({ page: 1 })).rejects.toThrow('has no pages');
    expect((await read({ from_line: 11, to_line: 900 })).text).toBe('Mate needs a gourd.');
    await expect(documents.read('handbook/guide/brw.md')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      ownHint: "Did you mean 'handbook/guide/brew.md'?",
    });
    await expect(documents.chunk('nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('gives pages of a document that has some', async () => {
    const content = {
      title: 'Report',
      format: 'pdf',
      text: 'first page\nsecond page\nmore of it\nthird',
      chunks: [{ id: 'aa', start_char: 0, end_char: 10, from_line: 1, to_line: 1, page: 1 }],
      page_starts: [0, 11, 34],
    };
    const file = { id: 'f'.repeat(16), path: 'report.pdf', size: 1, mtime_ms: 1, hash: 'h' };
    await documents.putFiles('empty', { put: [{ ...file, content }] });
    const read = (range: object) => documents.read('empty/report.pdf', range);
    expect(await read({ page: 2 })).toMatchObject({ text: 'second page\nmore of it', page: 2, to_page: 2, pages: 3 });
    expect(await read({ page: 2, to_page: 3 })).toMatchObject({ page: 2, to_page: 3, from_line: 2, to_line: 4 });
    await expect(read({ page: 4 })).rejects.toThrow('There is no page 4');
    await documents.putFiles('empty', { remove: [file.id] });
  });
});

describe('collections', () => {
  it('refuse a second one of a name, and chunk sizes that do not fit', async () => {
    await expect(documents.createCollection({ name: 'Handbook' })).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    const chunking = { max_chars: 200, overlap_chars: 200 };
    await expect(documents.createCollection({ name: 'x', chunking })).rejects.toMatchObject({
      field: 'chunking.overlap_chars',
    });
    await expect(documents.createCollection({ name: '../x' })).rejects.toMatchObject({ field: 'name' });
  });

  it('count what they have', async () => {
    expect(await documents.stats('handbook')).toEqual({
      project: 'handbook',
      description: 'The handbook of the kitchen.',
      chunks: 5,
      vectors: 5,
      sources: 2,
      has_embeddings: true,
    });
    expect((await documents.collections()).collections.map(({ name, files }) => [name, files])).toEqual([
      ['empty', 0],
      ['handbook', 2],
    ]);
  });

  it('ask for the content of a file that they do not know', async () => {
    const file = { id: '0'.repeat(16), path: 'x.md', size: 1, mtime_ms: 1, hash: 'h' };
    expect(await documents.putFiles('empty', { put: [file] })).toEqual({ stored: 0, removed: 0, unknown: [file.id] });
  });

  it('take no path that leads out of them', async () => {
    const file = { id: '0'.repeat(16), size: 1, mtime_ms: 1, hash: 'h' };
    for (const path of ['/etc/passwd', '../x', 'a/../../x', 'a\nb']) {
      await expect(documents.putFiles('empty', { put: [{ ...file, path }] })).rejects.toMatchObject({
        field: 'put.0.path',
      });
    }
  });

  it('lose a note that is replaced by nothing', async () => {
    await documents.changeCollection('empty', { notes: [{ folder: 'a', note: 'First.' }] });
    await documents.changeCollection('empty', { notes: [{ folder: '/a/', note: '' }, { note: 'All.' }] });
    expect((await documents.collection('empty')).notes).toEqual([{ folder: '', note: 'All.' }]);
  });
});

/** The tree of the specification: c1 > c2 > (c3, c4), c1 > c5 > c6 > c7. */
const TREE = [
  ['1'],
  ['1', '2'],
  ['1', '2', '3'],
  ['1', '2', '4'],
  ['1', '5'],
  ['1', '5', '6'],
  ['1', '5', '6', '7'],
].map((headings) => ({ headings }));
const around = (index: number, expand: object, shown: readonly number[] = []) =>
  [...placesAround(TREE, index, expandSchema.parse(expand), new Set(shown))].map(([at]) => at);

describe('context expansion', () => {
  it('knows the parent and the path of a chunk', () => {
    expect(parentOf(TREE, 6)).toBe(5);
    expect(pathTo(TREE, 6)).toEqual([0, 4, 5, 6]);
    expect([parentOf(TREE, 0), pathTo(TREE, 0)]).toEqual([-1, [0]]);
  });

  it('gives neighbors in the document only', () => {
    expect(around(4, { before: 3, after: 0, parent: false }).sort()).toEqual([1, 2, 3]);
    expect(around(2, { before: 0, after: 3, parent: false })).toEqual([3, 4, 5]);
    expect(around(0, { before: 1, after: 0 })).toEqual([]);
    expect(around(6, { before: 0, after: 1, parent: false })).toEqual([]);
  });

  it('keeps the parent first, then the nearest, and leaves out other hits', () => {
    expect(around(6, { before: 3, after: 3, max_chunks: 2 })).toEqual([5, 4]);
    expect(around(3, { before: 2, after: 2, max_chunks: 2 })).toEqual([1, 2]);
    expect(around(3, { before: 2, after: 2 }, [2])).toEqual([1, 4, 5]);
  });

  it('adds the rest of the section', () => {
    const flat = [['a'], ['b'], ['b'], ['b'], ['c']].map((headings) => ({ headings }));
    const expand = expandSchema.parse({ before: 0, after: 0, section: true });
    expect([...placesAround(flat, 1, expand, new Set()).keys()]).toEqual([2, 3]);
  });

  it.each([{ before: -1 }, { after: 6 }, { max_chunks: 0 }, { max_chunks: 21 }, { section: 'yes' }])(
    'refuses %o',
    (expand) => {
      expect(expandSchema.safeParse(expand).success).toBe(false);
    },
  );
});
