import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wholeAnswer } from '../../../src/documents/ask/ask.ts';
import { askCollection, parseQuestion } from '../../../src/documents/ask-collection.ts';
import { createDocuments, type DocumentService } from '../../../src/documents/create-documents.ts';
import { openDocumentReader } from '../../../src/documents/read/open-document-reader.ts';
import { uploadFile } from '../../../src/documents/upload-file.ts';
import { type GoldenRegistry, goldenRegistry } from '../../support/golden-registry.ts';
import { layOutPdf, pageCount } from '../../support/lay-out-pdf.ts';
import { FOREIGN_QUESTIONS } from './foreign-questions.ts';
import { PAGE_QUESTIONS } from './questions.ts';

const FILES = fileURLToPath(new URL('files/', import.meta.url));
const names = readdirSync(FILES).map((name) => name.replace(/\.txt$/, ''));
const sources = new Map(names.map((name) => [name, readFileSync(`${FILES}${name}.txt`, 'utf8')]));
/** Of all questions. The right page is among the first five results. */
const MIN_FOUND = 0.9;

describe('PDFs in a collection, searched with the real model', () => {
  const reader = openDocumentReader();
  let golden: GoldenRegistry;
  let documents: DocumentService;
  beforeAll(async () => {
    golden = await goldenRegistry([]);
    documents = createDocuments(golden.registry);
    await documents.createCollection({ name: 'library' });
    const parts = { documents, reader, now: () => new Date(0) };
    for (const [name, source] of sources) {
      for await (const step of uploadFile(parts, 'library', { path: `${name}.pdf`, bytes: layOutPdf(source) })) {
        if (step.type === 'read') expect(step.pages).toBe(pageCount(source));
      }
    }
    await golden.registry.embedPending();
  }, 300_000);
  afterAll(async () => {
    await golden?.close();
    await reader.close();
  });

  const pagesOf = async (query: string, limit: number) => {
    const { results } = await documents.search({ query, collections: ['library'], limit });
    return results.map(({ path, position }) => `${path} page ${position.page}`);
  };

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
      const pages = await pagesOf(question, 5);
      if (!pages.includes(`${file}.pdf page ${page}`)) missed.push(`${question}: ${pages.join(', ')}`);
    }
    expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(PAGE_QUESTIONS.length * (1 - MIN_FOUND));
  });

  it('are asked about what they say: a question about something else gets no sources', async () => {
    const hasSources = async (question: string) => {
      const events = await askCollection({ documents, chat: null }, 'library', parseQuestion({ question }));
      return (await wholeAnswer(events)).sources.length > 0;
    };
    const refused: string[] = [];
    for (const [question] of PAGE_QUESTIONS) if (!(await hasSources(question))) refused.push(question);
    const answered: string[] = [];
    for (const question of FOREIGN_QUESTIONS) if (await hasSources(question)) answered.push(question);
    expect(FOREIGN_QUESTIONS.length).toBeGreaterThanOrEqual(20);
    expect(refused.length, refused.join('\n')).toBeLessThanOrEqual(2);
    expect(answered.length, answered.join('\n')).toBeLessThanOrEqual(4);
  });

  it.each([
    ['E-14', 'pump-manual.pdf page 4'],
    ['12.204', 'mine-rules.pdf page 2'],
    ['ARH-03', 'telescope-data.pdf page 4'],
    ['IM-118', 'pump-manual.pdf page 5'],
  ])('give the page of the code %s first', async (code, page) => {
    expect(await pagesOf(code, 1)).toEqual([page]);
  });
});
