import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLabeledSet } from './labeled-set.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-set-'));
});
afterEach(() => rm(dir, { recursive: true }));

const jsonl = (lines: readonly unknown[]) =>
  lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');

interface Parts {
  readonly corpus?: readonly unknown[];
  readonly queries?: readonly unknown[];
  readonly qrels?: readonly unknown[];
}

/** A set of one document and one query that it answers, with some parts replaced; `mark` goes before every file. */
async function read(parts: Parts = {}, mark = '') {
  const {
    corpus = [{ id: 'd1', type: 'doc', name: 'Wings' }],
    queries = [{ id: 1, text: 'what lifts a wing' }],
    qrels = [{ query_id: 1, doc_id: 'd1', relevance: 2 }],
  } = parts;
  for (const [name, lines] of Object.entries({ corpus, queries, qrels })) {
    await writeFile(join(dir, `${name}.jsonl`), mark + jsonl(lines));
  }
  return readLabeledSet(dir);
}

describe('readLabeledSet', () => {
  it('reads a catalog, its questions and their answers, byte order marks or not', async () => {
    for (const mark of ['', '\uFEFF']) {
      expect(await read({}, mark)).toMatchObject({
        entities: [{ type: 'document', path: 'd1', name: 'Wings' }],
        queries: [{ id: '1', text: 'what lifts a wing', relevant: new Map([['d1', 2]]) }],
        rejected: 0,
      });
    }
  });

  it('lets the later of two lines about one entity win', async () => {
    const corpus = [
      { id: 'd1', type: 'doc', name: 'old' },
      { id: 'd2', type: 'doc', name: 'other' },
      { id: 'd1', type: 'skill', name: 'same path, not the same entity' },
      { id: 'd1', type: 'doc', name: 'new' },
    ];
    const { entities } = await read({ corpus });
    expect(entities.map(({ type, path, name }) => `${type} ${path} ${name}`)).toEqual([
      'document d1 new',
      'document d2 other',
      'skill d1 same path, not the same entity',
    ]);
  });

  it('counts bad lines of the corpus, but takes none of the labels', async () => {
    const good = { id: 'd1', type: 'doc', name: 'Wings' };
    expect((await read({ corpus: [good, '{"half'] })).rejected).toBe(1);
    await expect(read({ qrels: [{ query_id: 1, doc_id: 'd1' }, '{"half'] })).rejects.toMatchObject({
      code: 'MALFORMED_JSON',
      message: expect.stringMatching(/qrels\.jsonl, line 2: /),
    });
    await expect(read({ queries: [{ id: 1 }] })).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: expect.stringMatching(/'text' of the line 1 of .*queries\.jsonl/),
    });
  });

  it('refuses labels of queries that are not there, with the first line that names one', async () => {
    const good = { query_id: 1, doc_id: 'd1', relevance: 2 };
    await expect(read({ qrels: [good, { query_id: 'q2', doc_id: 'd1', relevance: 0 }] })).rejects.toMatchObject({
      code: 'INVALID_FILE',
      field: 'query_id',
      message: expect.stringMatching(/qrels\.jsonl, line 2: the query "q2" is not in .*queries\.jsonl\.$/),
      hint: expect.stringContaining('Add the missing queries'),
    });
    const several = [
      good,
      { query_id: 'q2', doc_id: 'd1' },
      { query_id: 'q2', doc_id: 'd1' },
      { query_id: 'q3', doc_id: 'd1' },
    ];
    await expect(read({ qrels: several })).rejects.toThrow('More missing queries: 1.');
  });

  it('counts labels that name no document, and refuses a set of which none does', async () => {
    const label = (doc_id: string, relevance = 1) => ({ query_id: 1, doc_id, relevance });
    expect((await read()).astray).toEqual({ count: 0, of: 1 });
    const qrels = [label('d1'), label('d2'), label('d3'), label('d4', 0)];
    expect((await read({ qrels })).astray).toEqual({ count: 2, of: 3, example: 'd2' });
    await expect(read({ qrels: [label('/d1'), label('d2')] })).rejects.toMatchObject({
      code: 'INVALID_FILE',
      field: 'doc_id',
      message: expect.stringMatching(/^None of the 2 labels of .*qrels\.jsonl names a document .* is "\/d1"\.$/),
      hint: expect.stringContaining('such as "d1"'),
    });
    await expect(read({ qrels: [label('d2')] })).rejects.toThrow(/^The only label of .* names no document/);
  });

  it('takes labels of queries that another split asks', async () => {
    const queries = [
      { id: 1, text: 'what lifts a wing', split: 'dev' },
      { id: 2, text: 'what slows it', split: 'test' },
    ];
    const qrels = [1, 2].map((query_id) => ({ query_id, doc_id: 'd1' }));
    await read({ queries, qrels });
    expect((await readLabeledSet(dir, { split: 'dev' })).queries).toHaveLength(1);
  });

  it('refuses a set with nothing to find or nothing to ask', async () => {
    await expect(read({ corpus: ['oops'] })).rejects.toMatchObject({ code: 'INVALID_FILE' });
    await expect(read({ qrels: [] })).rejects.toMatchObject({ code: 'INVALID_FILE' });
    await rm(join(dir, 'qrels.jsonl'));
    await expect(readLabeledSet(dir)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
