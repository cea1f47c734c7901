import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DocumentServer } from '../../../test/support/document-server.ts';
import { DEFAULT_LIMITS, type Source, type SourceItem, type SourceLimits } from '../source.ts';
import { boundedSource } from './bounded-source.ts';
import { openSource } from './open-source.ts';

const signal = new AbortController().signal;

const sourceOf = (read: Source['read']): Source => ({
  kind: 'registry',
  live: false,
  directory: true,
  locator: { url: 'https://r.example' },
  title: 'https://r.example',
  read,
});
const entry = (n: number, description = ''): SourceItem => ({
  part: `s${n}`,
  entity: { type: 'mcp_server', path: `/s${n}`, name: `s${n}`, description },
  warnings: [],
});

/** What was read before the error, and the error. */
async function readAll(source: Source, stop: AbortSignal = signal): Promise<{ parts: string[]; error: unknown }> {
  const parts: string[] = [];
  try {
    for await (const { part } of source.read(stop)) parts.push(part);
  } catch (error) {
    return { parts, error };
  }
  return { parts, error: null };
}
const bounded = (read: Source['read'], limits: Partial<SourceLimits> = {}) =>
  boundedSource(sourceOf(read), { ...DEFAULT_LIMITS, ...limits });

describe('a source without an end', () => {
  it('is cut after its items, and says so', async () => {
    async function* read() {
      for (let n = 0; ; n++) yield entry(n);
    }
    const { parts, error } = await readAll(bounded(read, { maxItems: 3 }));
    expect(parts).toEqual(['s0', 's1', 's2']);
    expect(error).toMatchObject({
      code: 'BODY_TOO_LARGE',
      message: 'The list of https://r.example was cut: it has more than 3 items.',
      hint: expect.stringContaining('source_max_items'),
    });
  });

  it('is cut after its characters', async () => {
    async function* read() {
      for (let n = 0; ; n++) yield entry(n, 'x'.repeat(10_000));
    }
    const { parts, error } = await readAll(bounded(read, { maxBytes: 1000 }));
    expect([parts.length, (error as Error).message]).toEqual([
      3,
      expect.stringContaining('was cut: it has more than 32000'),
    ]);
  });

  it('is cut when it repeats itself', async () => {
    async function* read() {
      for (let n = 0; ; n++) yield entry(n % 5);
    }
    const { parts, error } = await readAll(bounded(read));
    expect([parts.length, (error as Error).message]).toEqual([1005, expect.stringContaining('again and again')]);
  });

  it('is cut after its time, and a reader that waits is told to stop', async () => {
    async function* read(until: AbortSignal): AsyncGenerator<SourceItem> {
      yield entry(0);
      await new Promise((_, reject) => until.addEventListener('abort', () => reject(until.reason)));
    }
    const { parts, error } = await readAll(bounded(read, { totalMs: 100 }));
    expect(parts).toEqual(['s0']);
    expect(error).toMatchObject({ code: 'SOURCE_UNREACHABLE', hint: expect.stringContaining('source_total_ms') });
  });

  it('leaves a reader that the user stops to the user', async () => {
    const stop = new AbortController();
    async function* read(): AsyncGenerator<SourceItem> {
      yield entry(0);
      stop.abort(new Error('stopped'));
      throw new Error('aborted');
    }
    expect((await readAll(bounded(read), stop.signal)).error).toMatchObject({ message: 'stopped' });
  });
});

describe('a registry without an end', () => {
  let site: DocumentServer;
  beforeEach(async () => {
    site = await DocumentServer.open();
  });
  afterEach(() => site.close());

  it('is cut however it is opened', async () => {
    let page = 0;
    site.answer(() => {
      page++;
      const servers = Array.from({ length: 10 }, (_, n) => ({
        server: { name: `io.example/s${page}-${n}`, description: 'd', version: '1.0.0' },
      }));
      return { body: { servers, metadata: { nextCursor: `c${page}` } } };
    });
    const context = { env: {}, version: '0', limits: { ...DEFAULT_LIMITS, maxItems: 25 } };
    const source = await openSource({ what: `${site.url}/v0.1/servers` }, context, signal);
    const { parts, error } = await readAll(source);
    expect([parts.length, (error as { code: string }).code]).toEqual([25, 'BODY_TOO_LARGE']);
    expect(page).toBeLessThan(5);
  });
});
