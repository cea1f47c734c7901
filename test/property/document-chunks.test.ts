import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkDocument } from '../../src/documents/chunk/chunk-document.ts';
import {
  CHUNK_STRATEGIES,
  type ChunkOptions,
  type DocumentChunk,
} from '../../src/documents/contract/document-chunk.ts';
import type { ReadDocument } from '../../src/documents/contract/document-reader.ts';
import { readCsv } from '../../src/documents/read/formats/delimited.ts';
import { readHtml } from '../../src/documents/read/formats/html.ts';
import { readMarkdown } from '../../src/documents/read/formats/markdown.ts';
import { readPlainText } from '../../src/documents/read/formats/plain-text.ts';
import { readSourceCode } from '../../src/documents/read/formats/source-code.ts';

const READERS = [readMarkdown, readPlainText, readCsv, readHtml, readSourceCode] as const;

/** Lines that mean something in one format or another, and any text. */
const line = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 120 }) },
  fc.constantFrom('', '', '# Pump', '## Care', '```', '| a | b |', '|---|---|', '| 1 | 2 |', '---', 'Title\n==='),
  fc.constantFrom(
    'class Pump {',
    '  start() {',
    '  }',
    '}',
    '// note',
    'name,price',
    '"a,""b",3',
    '<h1>Pump</h1>',
    '<p>text',
  ),
  fc.lorem({ maxCount: 60 }),
  // No two of these are equal: a property below counts on it.
  fc
    .tuple(fc.integer({ min: 1, max: 200 }), fc.uuid())
    .map(([count, salt]) => Array.from({ length: count }, (_, i) => `東京${i}😀${salt}`).join('')),
);
const document = fc
  .tuple(fc.constantFrom(...READERS), fc.array(line, { maxLength: 40 }))
  .map(([read, lines]): ReadDocument => read({ name: 'file', text: lines.join('\n') }));
const options = fc
  .tuple(fc.constantFrom(...CHUNK_STRATEGIES), fc.integer({ min: 100, max: 700 }), fc.integer({ min: 0, max: 100 }))
  .map(
    ([strategy, maxChars, share]): ChunkOptions => ({
      strategy,
      maxChars,
      overlapChars: Math.floor((maxChars * share) / 200),
    }),
  );

const chunksOf = (read: ReadDocument, given: ChunkOptions): DocumentChunk[] => chunkDocument('doc', read, given);
const ownText = ({ text }: ReadDocument, { position }: DocumentChunk) =>
  text.slice(position.startChar, position.endChar);

function check(property: (read: ReadDocument, given: ChunkOptions, chunks: DocumentChunk[]) => void): void {
  fc.assert(
    fc.property(document, options, (read, given) => property(read, given, chunksOf(read, given))),
    { numRuns: 400 },
  );
}

describe('the chunks of any document', () => {
  it('are no longer than the limit, and never empty', () => {
    check((_, { maxChars }, chunks) => {
      for (const { text } of chunks) {
        expect(text.length).toBeLessThanOrEqual(maxChars);
        expect(text.trim()).not.toBe('');
      }
    });
  });

  it('cover the text of every block, in order', () => {
    check((read, _, chunks) => {
      let last = -1;
      const isCovered = new Uint8Array(read.text.length);
      for (const { position } of chunks) {
        expect(position.startChar).toBeGreaterThan(last);
        last = position.startChar;
        isCovered.fill(1, position.startChar, position.endChar);
      }
      // The words of a heading are in the context of the chunks below it, and equal chunks are given once.
      const said = chunks.map(({ text, context }) => `${context}\n${text}`).join('\n');
      for (const block of read.blocks) {
        let missed = '';
        for (let at = block.start; at < block.end; at++) if (isCovered[at] === 0) missed += read.text[at];
        if (block.kind === 'heading' && missed.trim() === read.text.slice(block.start, block.end).trim()) {
          expect(said).toContain(block.title);
        } else if (missed.trim() !== '') {
          for (const part of missed.split('\n')) expect(said).toContain(part.trim());
        }
      }
    });
  });

  it('end with the text of their position, and their lines have it', () => {
    check((read, _, chunks) => {
      const lines = read.text.split('\n');
      for (const chunk of chunks) {
        const own = ownText(read, chunk);
        expect(chunk.text.endsWith(own)).toBe(true);
        const { fromLine, toLine } = chunk.position;
        expect(lines.slice(fromLine - 1, toLine).join('\n')).toContain(own);
        expect(own.split('\n')).toHaveLength(toLine - fromLine + 1);
      }
    });
  });

  it('have ids that depend on nothing else, and no two have the same', () => {
    check((read, given, chunks) => {
      expect(chunksOf(read, given)).toEqual(chunks);
      expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
      expect(chunks.map(({ position }) => position.index)).toEqual(chunks.map((_, i) => i));
    });
  });

  it('repeat no more than the overlap', () => {
    check((_, { overlapChars }, chunks) => {
      for (const [i, { position }] of chunks.entries()) {
        if (i > 0) expect(chunks[i - 1]!.position.endChar - position.startChar).toBeLessThanOrEqual(overlapChars + 1);
      }
    });
  });

  it('stay as they are above and below an edit in another section', () => {
    const sections = fc.array(fc.lorem({ maxCount: 80 }), { minLength: 3, maxLength: 6 });
    fc.assert(
      fc.property(sections, fc.nat(), fc.lorem({ maxCount: 50 }), options, (bodies, at, edit, given) => {
        const headings: ChunkOptions = { ...given, strategy: 'headings' };
        const ids = (parts: readonly string[]) =>
          chunksOf(
            readMarkdown({ name: 'a.md', text: parts.map((body, i) => `# Part ${i}\n\n${body}\n`).join('\n') }),
            headings,
          );
        const edited = at % bodies.length;
        const before = ids(bodies);
        const after = ids(bodies.map((body, i) => (i === edited ? edit : body)));
        const others = (chunks: readonly DocumentChunk[]) =>
          chunks.filter(({ context }) => context !== `Part ${edited}`).map(({ id }) => id);
        expect(others(after)).toEqual(others(before));
      }),
    );
  });
});
