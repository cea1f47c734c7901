import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { createClient } from '../../client/client.ts';
import { createCollectionSchema } from '../../documents/contract/document-requests.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { parseWith } from '../../model/parse/parse.ts';
import type { SearchRequestInput } from '../../model/query/query.ts';
import { inPlainWords } from './plain-words.ts';

/** The error that a search gives, as a registry throws it or as a server sends it. */
async function errorOf(request: object, from: 'registry' | 'server'): Promise<DowserError> {
  const { search } = await memoryRegistry();
  const error = await search(request as SearchRequestInput).then(
    () => new Error('nothing was thrown'),
    (thrown: DowserError) => thrown,
  );
  if (!(error instanceof DowserError)) throw error;
  if (from === 'registry') return error;
  return new DowserError(error.code, 'As a server says it.', {
    hint: 'See GET /openapi.json for the fields of each request.',
    field: error.field,
    details: { ...error.details, docs: '/openapi.json' },
  });
}

function thrownBy(work: () => unknown): DowserError {
  try {
    work();
  } catch (thrown) {
    return thrown as DowserError;
  }
  throw new Error('nothing was thrown');
}

describe('inPlainWords', () => {
  it.each([
    [{ query: 'x', max_results: 51 }, '--limit is 51: must be from 1 to 50.', 'limit'],
    [{ query: 'x', offset: 'a' }, '--offset is "a": must be a whole number from 0 to 450.', 'offset'],
    [{ query: 'x', min_confidence: 2 }, '--min-confidence is 2: must be from 0 to 1.', 'min-confidence'],
    [{ query: 'x', min_confidence: 'a' }, '--min-confidence is "a": must be a number.', 'min-confidence'],
    [{ query: 'x', facets: ['tags', 'color'] }, '--facets is "color": must be one of entity_type,', 'facets'],
    [{ query: 'x'.repeat(8193) }, 'The query is "xxx', 'query'],
    [{ tags: Array(51).fill('x') }, '--tag is ["x","x"', 'tag'],
  ])('names the flag of a bad value, locally and over a server: %#', async (request, message, field) => {
    for (const from of ['registry', 'server'] as const) {
      const error = inPlainWords(await errorOf(request, from));
      expect([error.message, error.field, error.ownHint]).toEqual([expect.stringContaining(message), field, undefined]);
    }
  });

  it.each([
    [{ name: 'a b' }, '--name is "a b": must begin with a letter or digit', 'name'],
    [{ chunking: { strategy: 'big' } }, '--strategy is "big": must be one of', 'strategy'],
    [{ chunking: { max_chars: 200, overlap_chars: 101 } }, '--overlap is 101: must be at most half of', 'overlap'],
    [{ include: [''] }, '--include is "": ', 'include'],
  ])('names the flag of a bad value of a collection: %#', (fields, message, field) => {
    const parse = () => parseWith(createCollectionSchema, { name: 'handbook', ...fields }, 'collection');
    const error = inPlainWords(thrownBy(parse));
    expect([error.message, error.field]).toEqual([expect.stringContaining(message), field]);
  });

  it('asks for words or --tag where there is nothing to look for', async () => {
    const error = inPlainWords(await errorOf({ query: ' ' }, 'registry'));
    expect([error.code, error.hint]).toEqual(['EMPTY_SEARCH', 'Give a query, --tag, or both.']);
  });

  it('does not speak of timeoutMs, which no command takes', async () => {
    const fetch = () => new Promise<never>((_, reject) => setTimeout(reject, 20));
    const client = createClient({ baseUrl: 'http://dowser.test', fetch, timeoutMs: 5 });
    const late = await client.health().catch((thrown: DowserError) => thrown);
    expect((late as DowserError).hint).toContain('timeoutMs');
    expect(inPlainWords(late as DowserError).hint).toBe(
      'The server may be busy, and may still finish the request. Try again later.',
    );
  });

  const locked = (data_dir: string, holder: { readonly pid?: number }) =>
    new DowserError('STORE_LOCKED', 'It is locked.', { hint: 'Ask its server.', details: { data_dir, ...holder } });

  it.each([
    [{ pid: 123 }, 'so process 123 is another command'],
    [{}, 'so that process is another command'],
  ])('says when a folder without a server will be free: %j', (holder, words) => {
    const error = inPlainWords(locked('/data', holder));
    expect([error.message, error.hint]).toEqual(['It is locked.', expect.stringContaining(words)]);
    expect(error.hint).toContain('Wait until it ends');
  });

  it('names the address of a server that hangs', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'dowser-hanging-'));
    try {
      await writeFile(join(dir, 'server.json'), JSON.stringify({ url: 'http://127.0.0.1:7470', pid: 123 }));
      const hintOf = (holder: { readonly pid?: number }) => inPlainWords(locked(dir, holder)).hint;
      expect(hintOf({ pid: 123 })).toContain('the server at http://127.0.0.1:7470, which does not answer');
      expect(hintOf({ pid: 123 })).not.toContain('another command');
      expect(hintOf({ pid: 124 })).toContain('so process 124 is another command');
      expect(hintOf({})).toContain('so that process is another command');
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  it('leaves alone what is said of a folder that a server has', () => {
    const hint = 'Use that server, or another folder with --data.';
    const served = new DowserError('STORE_LOCKED', 'The data folder /data is already served at http://x.', { hint });
    expect(inPlainWords(served).hint).toBe(hint);
  });

  it('leaves other errors, their hints and their causes as they are', () => {
    const cause = new Error('x');
    const error = inPlainWords(new DowserError('STORE_FULL', 'The disk is full.', { hint: 'Make room.', cause }));
    expect(error).toMatchObject({ code: 'STORE_FULL', message: 'The disk is full.', hint: 'Make room.', cause });
  });
});
