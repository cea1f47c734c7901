import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chunkDocument } from '../../../src/documents/chunk/chunk-document.ts';
import { DEFAULT_CHUNK_OPTIONS } from '../../../src/documents/chunk/document-chunk.ts';
import { openDocumentReader } from '../../../src/documents/read/document-process.ts';
import { type DocumentReader, isReadFailure } from '../../../src/documents/read/document-reader.ts';
import { type GoldenRegistry, goldenRegistry } from '../../support/golden-registry.ts';
import { layOutPdf, pageCount } from '../../support/lay-out-pdf.ts';
import { PAGE_QUESTIONS } from './questions.ts';

const FILES = fileURLToPath(new URL('files/', import.meta.url));
const names = readdirSync(FILES).map((name) => name.replace(/\.txt$/, ''));
const sources = new Map(names.map((name) => [name, readFileSync(`${FILES}${name}.txt`, 'utf8')]));
/** Of all questions. The right page is among the first five results. */
const MIN_FOUND = 0.9;

/** The chunks of the PDFs, each a document of its own whose path says the file and the page. */
async function chunksOfPdfs(reader: DocumentReader): Promise<unknown[]> {
  const entities: unknown[] = [];
  for (const [name, source] of sources) {
    const read = await reader.read({ name: `${name}.pdf`, bytes: layOutPdf(source) });
    if (isReadFailure(read)) throw new Error(read.message);
    expect(read.pageStarts).toHaveLength(pageCount(source));
    for (const { text, context, position } of chunkDocument(name, read, DEFAULT_CHUNK_OPTIONS)) {
      const path = `/${name}/${position.page}/${position.index}`;
      entities.push({ type: 'document', path, name: `${read.title} > ${context}`, body: text });
    }
  }
  return entities;
}

describe('PDFs, read, chunked and searched with the real model', () => {
  const reader = openDocumentReader();
  let golden: GoldenRegistry;
  beforeAll(async () => {
    golden = await goldenRegistry(await chunksOfPdfs(reader));
  }, 300_000);
  afterAll(async () => {
    await golden?.close();
    await reader.close();
  });

  it('have 12 files and 60 questions about pages that exist', () => {
    expect(names.length).toBeGreaterThanOrEqual(12);
    expect(PAGE_QUESTIONS.length).toBeGreaterThanOrEqual(60);
    for (const [question, file, page] of PAGE_QUESTIONS) {
      expect(page, question).toBeLessThanOrEqual(pageCount(sources.get(file)!));
    }
  });

  it('give the right page among the first five results, for nine questions of ten', async () => {
    const missed: string[] = [];
    for (const [question, file, page] of PAGE_QUESTIONS) {
      const { documents } = await golden.registry.search({
        query: question,
        entity_types: ['document'],
        max_results: 5,
      });
      const pages = documents.map(({ path }) => path.split('/').slice(1, 3).join(' page '));
      if (!pages.includes(`${file} page ${page}`)) missed.push(`${question}: ${pages.join(', ')}`);
    }
    expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(PAGE_QUESTIONS.length * (1 - MIN_FOUND));
  });

  it('give the page of a code first', async () => {
    for (const [code, path] of [
      ['E-14', '/pump-manual/4/'],
      ['12.204', '/mine-rules/2/'],
      ['ARH-03', '/telescope-data/4/'],
      ['SK-402', '/pump-manual/'],
    ] as const) {
      const { documents } = await golden.registry.search({ query: code, entity_types: ['document'], max_results: 1 });
      expect(documents[0]!.path.startsWith(path), code).toBe(true);
    }
  });
});
