import { describe, expect, it } from 'vitest';
import { type ChunkOptions, DEFAULT_CHUNK_OPTIONS } from '../contract/document-chunk.ts';
import type { ReadDocument } from '../contract/document-reader.ts';
import { readCsv } from '../read/formats/delimited.ts';
import { readMarkdown } from '../read/formats/markdown.ts';
import { readPlainText } from '../read/formats/plain-text.ts';
import { readSourceCode } from '../read/formats/source-code.ts';
import { chunkDocument } from './chunk-document.ts';

const markdown = (text: string) => readMarkdown({ name: 'a.md', text });
const chunk = (document: ReadDocument, options: Partial<ChunkOptions> = {}) =>
  chunkDocument('doc', document, { ...DEFAULT_CHUNK_OPTIONS, ...options });
const texts = (document: ReadDocument, options?: Partial<ChunkOptions>) =>
  chunk(document, options).map(({ text }) => text);
const sentence = (i: number) => `Sentence number ${i} is about valve ${i}.`;
const sentences = (count: number, from = 0) => Array.from({ length: count }, (_, i) => sentence(from + i)).join(' ');

describe('chunkDocument by headings', () => {
  it('gives a chunk for each section, with the path of headings as context', () => {
    const chunks = chunk(markdown('Intro.\n# Pump\nA.\n## Parts\nB.\n### Valve\nC.\n## Care\nD.\n# Other\nE.'));
    expect(chunks.map(({ context, text }) => [context, text])).toEqual([
      ['', 'Intro.'],
      ['Pump', 'A.'],
      ['Pump > Parts', 'B.'],
      ['Pump > Parts > Valve', 'C.'],
      ['Pump > Care', 'D.'],
      ['Other', 'E.'],
    ]);
    expect(chunks[3]!.headingPath).toEqual(['Pump', 'Parts', 'Valve']);
  });

  it('gives no chunk for a heading over other headings, and one for a heading over nothing', () => {
    const chunks = chunk(markdown('# Pump\n## Parts\nA.\n## Spare\n## Care'));
    expect(chunks.map(({ context, text }) => [context, text])).toEqual([
      ['Pump > Parts', 'A.'],
      ['Pump > Spare', '## Spare'],
      ['Pump > Care', '## Care'],
    ]);
  });

  it('says where each chunk is', () => {
    const document = markdown('# Pump\n\nA\nB\n\n## Care\n\nC\n');
    expect(chunk(document).map(({ position }) => position)).toEqual([
      { index: 0, startChar: 8, endChar: 11, fromLine: 3, toLine: 4 },
      { index: 1, startChar: 22, endChar: 23, fromLine: 8, toLine: 8 },
    ]);
  });

  it('cuts a long section at a sentence, and repeats the end of each chunk', () => {
    const parts = texts(markdown(`# A\n${sentences(20)}`), { maxChars: 200, overlapChars: 50 });
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) expect(part).toMatch(/\.$/);
    for (const [i, part] of parts.slice(1).entries()) {
      const start = part.slice(0, 20);
      expect(parts[i]).toContain(start);
    }
  });

  it('prefers the end of a paragraph to the end of a sentence', () => {
    const text = `${sentences(3)}\n\n${sentences(3, 3)}`;
    expect(texts(markdown(text), { maxChars: 200, overlapChars: 0 })).toEqual(text.split('\n\n'));
  });

  it('gives equal chunks once', () => {
    expect(texts(markdown('# A\nSame.\n# A\nSame.\n# B\nSame.'))).toEqual(['Same.', 'Same.']);
  });

  it('keeps the ids of chunks that an edit does not touch', () => {
    const ids = (text: string) => chunk(markdown(text)).map(({ id }) => id);
    const [a, b, c] = ids('# A\nOne.\n# B\nTwo.\n# C\nThree.');
    expect(ids('# A\nOne, and more.\n\n\n# B\nTwo.\n# C\nThree.').slice(1)).toEqual([b, c]);
    expect(ids('# A\nOne.\n# C\nThree.')).toEqual([a, c]);
    expect(a).toMatch(/^[0-9a-f]{32}$/);
  });

  it('gives other ids to the same text in another document, and under another heading', () => {
    const id = (documentId: string, text: string) =>
      chunkDocument(documentId, markdown(text), DEFAULT_CHUNK_OPTIONS)[0]!.id;
    expect(new Set([id('a', '# A\nx'), id('b', '# A\nx'), id('a', '# B\nx')]).size).toBe(3);
  });

  it('keeps a chunk on its page', () => {
    const text = 'one\n\ntwo\n\nthree';
    const block = (start: number, end: number, page: number) => ({ kind: 'text', start, end, page }) as const;
    const document: ReadDocument = {
      title: 'a',
      format: 'pdf',
      text,
      blocks: [
        { kind: 'heading', start: 0, end: 3, page: 1, level: 1, title: 'one' },
        block(5, 8, 1),
        block(10, 15, 2),
      ],
      pageStarts: [0, 10],
      metadata: {},
      warnings: [],
    };
    const placed = (strategy: ChunkOptions['strategy']) =>
      chunk(document, { strategy }).map((part) => [part.text, part.context, part.position.page]);
    expect(placed('headings')).toEqual([
      ['two', 'one', 1],
      ['three', 'one', 2],
    ]);
    expect(placed('recursive')).toEqual([
      ['one\n\ntwo', 'one', 1],
      ['three', 'one', 2],
    ]);
    expect(placed('fixed')).toEqual([
      ['one\n\ntwo', 'one', 1],
      ['three', 'one', 2],
    ]);
  });

  it('gives the declarations of code, with their indent', () => {
    const body = '    call(1);\n'.repeat(80);
    const code = readSourceCode({
      name: 'a.ts',
      text: `class A {\n  start() {\n${body}  }\n\n  stop() {\n${body}  }\n}\n\nrun();`,
    });
    const chunks = chunk(code, { maxChars: 2000 });
    expect(chunks.map(({ context }) => context)).toEqual(['class A', 'class A > start()', 'class A > stop()', '']);
    expect(chunks[1]!.text.startsWith('  start() {')).toBe(true);
  });
});

describe('chunkDocument with tables', () => {
  const rows = Array.from({ length: 50 }, (_, i) => `| PX-${i} | ${i} kg |`);
  const table = `| Part | Weight |\n|---|---|\n${rows.join('\n')}`;

  it('repeats the header above the later parts of a long table', () => {
    const parts = texts(markdown(`Before.\n\n${table}\n\nAfter.`), { maxChars: 200, overlapChars: 0 });
    expect(parts[0]).toBe('Before.');
    expect(parts.at(-1)).toBe('After.');
    const tables = parts.slice(1, -1);
    for (const part of tables) expect(part.startsWith('| Part | Weight |\n|---|---|\n| PX-')).toBe(true);
    expect(tables.flatMap((part) => part.split('\n').slice(2))).toEqual(rows);
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(200);
  });

  it('keeps a short table with the text around it', () => {
    expect(texts(markdown('Before.\n\n| A | B |\n|---|---|\n| 1 | 2 |'))).toEqual([
      'Before.\n\n| A | B |\n|---|---|\n| 1 | 2 |',
    ]);
  });

  it('points at the rows, not at the repeated header', () => {
    const document = markdown(table);
    for (const { text, position } of chunk(document, { maxChars: 200, overlapChars: 0 }).slice(1)) {
      const own = document.text.slice(position.startChar, position.endChar);
      expect(text).toBe(`| Part | Weight |\n|---|---|\n${own}`);
      expect(
        document.text
          .split('\n')
          .slice(position.fromLine - 1, position.toLine)
          .join('\n'),
      ).toBe(own);
    }
  });

  it('cuts a row that is too long alone, with the header above each part', () => {
    const csv = readCsv({ name: 'a.csv', text: `name,note\nshort,x\nlong,${'word '.repeat(80)}\nlast,y` });
    const parts = texts(csv, { maxChars: 150, overlapChars: 0 });
    for (const part of parts) {
      expect(part.startsWith('name,note\n')).toBe(true);
      expect(part.length).toBeLessThanOrEqual(150);
    }
    expect(parts.join('').match(/word/g)).toHaveLength(80);
  });

  it('does not repeat a header that fills half of a chunk', () => {
    const header = Array.from({ length: 20 }, (_, i) => `column${i}`).join(',');
    const csv = readCsv({ name: 'a.csv', text: `${header}\n${`${'v,'.repeat(19)}v\n`.repeat(20)}` });
    const parts = texts(csv, { maxChars: 200, overlapChars: 0 });
    expect(parts.filter((part) => part.includes('column19'))).toHaveLength(1);
  });
});

describe('chunkDocument by other strategies', () => {
  it('fills recursive chunks across headings, with the path of their first block', () => {
    const chunks = chunk(markdown(`# A\n${sentence(1)}\n## B\n${sentence(2)}\n# C\n${sentences(6, 5)}`), {
      strategy: 'recursive',
      maxChars: 150,
      overlapChars: 0,
    });
    expect(chunks.map(({ context }) => context)).toEqual(['A', 'C', 'C']);
    expect(chunks[0]!.text).toContain('## B');
  });

  it('cuts fixed chunks by length alone, with the overlap between them', () => {
    const document = readPlainText({ name: 'a.txt', text: 'x'.repeat(100) + 'y'.repeat(100) + 'z'.repeat(50) });
    expect(
      chunk(document, { strategy: 'fixed', maxChars: 100, overlapChars: 10 }).map(({ position }) => [
        position.startChar,
        position.endChar,
      ]),
    ).toEqual([
      [0, 100],
      [90, 190],
      [180, 250],
    ]);
  });

  it('never cuts a character in two', () => {
    const document = readPlainText({ name: 'a.txt', text: `a${'😀'.repeat(300)}` });
    for (const strategy of ['headings', 'recursive', 'fixed'] as const) {
      for (const text of texts(document, { strategy, maxChars: 100, overlapChars: 33 }))
        expect(Buffer.from(text).toString()).toBe(text);
    }
  });
});

describe('the options of chunkDocument', () => {
  it.each([
    [{ maxChars: 200, overlapChars: 300 }, 'The overlap of 300 characters is more than half of the chunk size of 200.'],
    [{ maxChars: 200, overlapChars: 101 }, 'The overlap of 101 characters is more than half of the chunk size of 200.'],
    [{ maxChars: 99, overlapChars: 0 }, 'at least 100 and 0'],
    [{ maxChars: 200, overlapChars: -1 }, 'at least 100 and 0'],
    [{ maxChars: 200.5, overlapChars: 0 }, 'whole numbers'],
  ])('refuse %j', (options, message) => {
    expect(() => chunk(markdown('x'), options)).toThrowError(
      expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringContaining(message) }),
    );
  });
});
