import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SearchDocuments } from '../../src/documents/contract/document-requests.ts';
import { createDocuments, type DocumentService } from '../../src/documents/create-documents.ts';
import { readMarkdown } from '../../src/documents/read/formats/markdown.ts';
import { toContent } from '../../src/documents/scan/to-file-change.ts';
import { searchCollection } from '../../src/documents/search/search-collection.ts';
import { RRF_K } from '../../src/search/ranking/fusion/by-rank.ts';
import { nodeOf } from '../support/explanation-node.ts';
import { type GoldenRegistry, goldenRegistry } from '../support/golden-registry.ts';
import { LIBRARY } from './identifier-fixtures.ts';

/**
 * What IndexFoundry's tests and ADR-003 want, asked of the chunks of one book: with the real model and the default engine,
 * through the search of documents. The sections of the book are the library of the tests of identifiers, and these.
 */
const MORE: readonly (readonly [title: string, text: string])[] = [
  [
    'Sunken hall',
    'Shelves of swollen books stand knee-deep in black water. The eels in it give a shock to whoever wades.',
  ],
  [
    'Chain loft',
    'Fetters hang from the beams. Their touch turns limbs to stone. Winged imps roost between the rafters.',
  ],
  ['Gazer', 'A floating globe with one great eye. Its stare snuffs out every spell. Its challenge rating is 13.'],
  ['Deep whisperer', 'An aberration of the abyss that speaks into the minds of swimmers without a voice.'],
  ['Foreword', 'This book describes a castle, its people, its rules and the beasts around it.'],
];

let golden: GoldenRegistry;
let documents: DocumentService;
beforeAll(async () => {
  golden = await goldenRegistry([]);
  documents = createDocuments(golden.registry);
  await documents.createCollection({ name: 'book' });
  const sections = [...LIBRARY.map((one) => [one.name, (one as { body: string }).body] as const), ...MORE];
  const text = sections.map(([title, body]) => `## ${title}\n\n${body}\n`).join('\n');
  const id = '0'.repeat(16);
  const chunking = { strategy: 'headings', max_chars: 1500, overlap_chars: 150 } as const;
  const content = toContent(id, readMarkdown({ name: 'book.md', text: `# The book\n\n${text}` }), chunking);
  if ('code' in content) throw new Error(content.message);
  await documents.putFiles('book', { put: [{ id, path: 'book.md', size: 1, mtime_ms: 1, hash: 'h', content }] });
  await golden.registry.embedPending();
});
afterAll(() => golden.close());
beforeEach(() => {
  golden.embedder.questions.length = 0;
});

const ask = (query: string, more: SearchDocuments = {}) => documents.search({ query, collections: ['book'], ...more });
const titles = async (query: string, more: SearchDocuments = {}) =>
  (await ask(query, more)).results.map(({ heading_path }) => heading_path.at(-1));

describe.each(['linear', 'adaptive', 'anchored', 'hybrid', 'documents'])(
  "ADR-003's table over chunks, preset %s",
  (preset) => {
    it.each([
      ['D40', 'Region D40'],
      ['Tell me about D40', 'Region D40'],
      ['What are the safety requirements?', 'Safety handbook'],
      ['Aboleth', 'Aboleth'],
      ['30 CFR 75.1725', '30 CFR 75.1725'],
    ])('%s has the chunk of %s for its top result', async (query, expected) => {
      expect((await titles(query, { preset }))[0]).toBe(expected);
    });
  },
);

it.each(['linear', 'adaptive', 'anchored'])('%s gives the holder of D40 a keyword score of 1', async (preset) => {
  const [first] = (await ask('D40', { preset, explain: true })).results;
  expect(nodeOf(first?.explanation, 'keyword')?.detail).toMatchObject({ score: 1 });
});

describe('the default, where the literal presets fail', () => {
  it.each([
    ['d40', 'Region D40'],
    ['What is in room D40?', 'Region D40'],
    ['MSHA rule 75.1725, please', '30 CFR 75.1725'],
    ['PII-2024-0042', 'Case PII-2024-0042'],
  ])('%s has the chunk of %s for its top result', async (query, expected) => {
    expect((await titles(query))[0]).toBe(expected);
  });

  it('keeps an identifier among the first three in a question about something else', async () => {
    const question = 'what do ships pay in a harbour town with strange tides, and what has D40 to do with it';
    expect((await titles(question)).slice(0, 3)).toContain('Region D40');
  });

  it('asks no model for an identifier alone: phase 2', async () => {
    await ask('D40');
    await ask('75.1725');
    expect(golden.embedder.questions).toEqual([]);
    await ask('D40', { preset: 'anchored' });
    expect(golden.embedder.questions).toEqual([]);
  });
});

describe('the rows of IndexFoundry', () => {
  it('IF-1: the words of a title find its chunk first', async () => {
    expect((await titles('the sunken hall'))[0]).toBe('Sunken hall');
  });

  it.each([
    ['IF-2', 'restraints that paralyse whoever touches them', 'Chain loft'],
    ['IF-3', 'demons that sit near the ceiling', 'Chain loft'],
    ['IF-4', 'a flooded library', 'Sunken hall'],
    ['IF-5', 'a trap with electric water', 'Sunken hall'],
    ['IF-6', 'telepathic aberration', 'Deep whisperer'],
    ['IF-7', 'a floating eye', 'Gazer'],
    ['IF-8', 'which creature suppresses magic by looking', 'Gazer'],
    ['IF-9', 'what is the CR of the gazer', 'Gazer'],
  ])('%s: %s finds %s among the first five', async (_row, question, expected) => {
    expect((await titles(question, { limit: 5 })).includes(expected)).toBe(true);
  });

  it('IF-10: a question with a code finds the chunk with the code', async () => {
    expect((await titles('What is in room D42?'))[0]).toBe('Region D42');
  });

  it.each(['flooded library', 'where are the wet books', 'room full of water and shelves', 'submerged reading room'])(
    'IF-11: any wording finds the same need: %s',
    async (question) => {
      expect((await titles(question, { limit: 5 })).includes('Sunken hall')).toBe(true);
    },
  );

  it('IF-12: results are sorted, within the limit, and have their fields', async () => {
    const { results } = await ask('creatures of the lake', { limit: 4 });
    expect(results.length).toBeLessThanOrEqual(4);
    expect(results.map(({ score }) => score)).toEqual(results.map(({ score }) => score).sort((a, b) => b - a));
    for (const one of results)
      expect(Object.keys(one)).toEqual(expect.arrayContaining(['chunk_id', 'text', 'score', 'source_id']));
  });

  it('IF-13: an empty query is an empty list for the clients of such a server, a missing one an error', async () => {
    expect(await searchCollection(documents, 'book', { query: '  ' })).toMatchObject({ results: [], total: 0 });
    await expect(searchCollection(documents, 'book', {})).rejects.toMatchObject({ code: 'EMPTY_SEARCH' });
  });

  it('IF-17: the constant of rank fusion is 60', () => {
    expect(RRF_K).toBe(60);
  });
});
