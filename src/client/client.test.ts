import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { memoryRegistry } from '../../test/support/memory-registry.ts';
import { parseSettings } from '../config.ts';
import { type RunningServer, startServer } from '../http/server.ts';
import { DowserError } from '../model/errors/errors.ts';
import { createClient } from './client.ts';

let server: RunningServer;
beforeAll(async () => {
  const logger = { info() {}, warn() {}, error() {} };
  server = await startServer({
    registry: await memoryRegistry(),
    version: '1.2.3',
    logger,
    settings: parseSettings({ port: 0 }),
  });
});
afterAll(() => server.close());

const connectTo = (baseUrl: string) => createClient({ baseUrl });

const skill = { type: 'skill', name: 'Pack a suitcase' } as const;

describe('createClient against a server', () => {
  const connect = () => connectTo(`${server.url}/`);

  it('puts, reads and deletes under any path', async () => {
    const client = connect();
    for (const path of ['/skills/pack', 'plain', 'a b?c#d&e', '%2F', 'ünï/çødé', 'npm:@scope/name@1.0']) {
      const params = { type: 'skill', path } as const;
      expect(await client.putEntity({ params, body: skill })).toMatchObject({ path, created: true });
      expect((await client.getEntity({ params })).entity).toMatchObject({ path, name: skill.name });
      expect(await client.deleteEntity({ params })).toBeUndefined();
    }
  });

  it('searches, writes batches and asks for health without ceremony', async () => {
    const client = connect();
    expect((await client.search({ body: { query: ' suitcase ' } })).query).toBe('suitcase');
    const entities = [{ ...skill, path: 'x' }];
    expect(await client.putEntities({ query: { vectors: 'later' }, body: { entities } })).toMatchObject({ created: 1 });
    expect((await client.health()).status).toBe('healthy');
    expect(await client.openapi()).toMatchObject({ openapi: '3.1.0' });
  });

  it("throws the server's own error", async () => {
    const thrown = await connect()
      .search({ body: { query: 'x', max_results: 51 } })
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(DowserError);
    expect(thrown).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'max_results',
      details: {
        subject: 'search request',
        value: '51',
        expected: 'must be from 1 to 50',
        max: 50,
        docs: '/openapi.json',
      },
    });
    expect((thrown as Error).message).toContain('51');
  });
});

describe('createClient without a compiler', () => {
  const careless = createClient as (options?: unknown) => Record<string, (request?: unknown) => Promise<unknown>>;

  it.each([['http://localhost:7470'], [undefined], [null], [{}], [{ baseUrl: 7470 }]])(
    'asks for baseUrl where it is given %j',
    (options) => {
      const create = () => careless(options);
      expect(create).toThrow(DowserError);
      expect(create).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', field: 'baseUrl' }));
      expect(create).toThrow("'baseUrl'");
    },
  );

  it.each(['localhost:7470', '127.0.0.1:7470', '/api', '', 'ftp://dowser.test'])('refuses %j as baseUrl', (baseUrl) => {
    expect(() => careless({ baseUrl })).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        field: 'baseUrl',
        message: `'baseUrl' of the client is ${JSON.stringify(baseUrl)}: must begin with http:// or https://.`,
      }),
    );
  });

  it.each(['http://', 'https://a b'])('refuses %j, which is not an address', (baseUrl) => {
    expect(() => careless({ baseUrl })).toThrow(`${JSON.stringify(baseUrl)}: must be an address.`);
  });

  it.each([
    [undefined, "'params.type' of the request of getEntity() is missing."],
    [{ params: { type: 'skill' } }, "'params.path' of the request of getEntity() is missing."],
    [{ params: { type: 'skill', path: null } }, "'params.path' of the request of getEntity() is missing."],
    [{ params: { type: 'skill', path: '' } }, "'params.path' of the request of getEntity() is empty."],
    [{ params: { type: 'skill', path: 5 } }, "'params.path' of the request of getEntity() is not text."],
  ])('asks for params where an entity is read with %j', async (request, message) => {
    const thrown = await careless({ baseUrl: server.url }).getEntity!(request).catch((error: unknown) => error);
    expect(thrown).toMatchObject({
      code: 'INVALID_REQUEST',
      message,
      hint: "Call it as getEntity({ params: { type: '...', path: '...' } }).",
    });
  });

  it.each([
    [{ query: 'suitcase' }, "has 'query' outside of 'body'"],
    [{ max_results: 3 }, "has 'max_results' outside of 'body'"],
    ['suitcase', 'is not an object'],
    [null, 'is not an object'],
    [{}, "has no 'body'"],
    [undefined, "has no 'body'"],
    [{ query: { query: 'suitcase' } }, "has no 'body'"],
  ])('asks for body where a search is given %j', async (request, words) => {
    const thrown = await careless({ baseUrl: server.url }).search!(request).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(DowserError);
    expect(thrown).toMatchObject({ code: 'INVALID_REQUEST', field: 'body', message: expect.stringContaining(words) });
  });
});

describe('createClient and several nodes', () => {
  it('asks for its last write, whichever node answers next', async () => {
    const sent: (string | null)[] = [];
    // The record was restored from a backup before the fourth.
    const answers = [null, 'a1.7', 'a1.5', 'b2.3', 'no revision', null];
    const fetch = async (_: unknown, init?: RequestInit) => {
      sent.push(new Headers(init?.headers).get('Dowser-Revision'));
      const revision = answers.shift();
      return Response.json({}, { headers: revision == null ? {} : { 'Dowser-Revision': revision } });
    };
    const client = createClient({ baseUrl: 'http://dowser.test', fetch });
    for (let n = 0; n < 6; n++) await client.health();
    expect(sent).toEqual([null, null, 'a1.7', 'a1.7', 'b2.3', 'b2.3']);
  });
});

describe('createClient against trouble', () => {
  const failing = (fetch: typeof globalThis.fetch) =>
    createClient({ baseUrl: 'http://dowser.test', fetch })
      .health()
      .catch((error: unknown) => error);

  it('says that the server does not answer', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const baseUrl = `http://127.0.0.1:${(probe.address() as AddressInfo).port}`;
    probe.close();
    await once(probe, 'close');
    const thrown = await createClient({ baseUrl })
      .health()
      .catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: 'SERVER_UNREACHABLE', message: expect.stringContaining(baseUrl) });
    expect((thrown as DowserError).message).toContain('ECONNREFUSED');
  });

  it.each([
    ['a page of something else', () => new Response('<html>', { status: 200 }), 'SERVER_UNREACHABLE'],
    ['JSON of something else', () => Response.json({ message: 'no' }, { status: 404 }), 'SERVER_UNREACHABLE'],
    ['a code of a newer server', () => error('NEW_CODE', 418), 'INVALID_REQUEST'],
    ['a code of a newer server that broke', () => error('NEW_CODE', 503), 'INTERNAL'],
    ['a known code', () => error('STORE_FULL', 507), 'STORE_FULL'],
  ])('understands %s', async (_, answer, code) => {
    expect(await failing(async () => answer())).toMatchObject({ code });
  });

  const error = (code: string, status: number) => Response.json({ error: { code, message: 'So it is.' } }, { status });

  describe('of a server that never answers', () => {
    const silent = createHttpServer((request, response) => {
      if (request.url === '/api/sources') response.writeHead(200).write('{"sources":');
    });
    let baseUrl: string;
    beforeAll(async () => {
      silent.listen(0, '127.0.0.1');
      await once(silent, 'listening');
      baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    });
    afterAll(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const failure = (call: Promise<unknown>) => call.catch((error: unknown) => error);

    it('gives up after the time of the client, or of the call', async () => {
      const late = (words: string) => ({
        code: 'SERVER_UNREACHABLE',
        message: expect.stringContaining(words),
        hint: expect.stringContaining('timeoutMs'),
        cause: { name: 'TimeoutError' },
      });
      const client = createClient({ baseUrl, timeoutMs: 50 });
      expect(await failure(client.health())).toMatchObject(late('health() within 50 milliseconds'));
      expect(await failure(client.health({}, { timeoutMs: 20 }))).toMatchObject(late('within 20 milliseconds'));
      const patient = createClient({ baseUrl, timeoutMs: Number.POSITIVE_INFINITY });
      expect(await failure(patient.health({}, { timeoutMs: 20 }))).toMatchObject(late('within 20 milliseconds'));
    });

    it('gives up in the midst of an answer too', async () => {
      const thrown = await failure(createClient({ baseUrl, timeoutMs: 100 }).listSources());
      expect(thrown).toMatchObject({ code: 'SERVER_UNREACHABLE', message: expect.stringContaining('within 100') });
    });

    it.each([undefined, 60_000, Number.POSITIVE_INFINITY])(
      'waits with timeoutMs %s until it is stopped',
      async (ms) => {
        const client = createClient({ baseUrl, ...(ms === undefined ? {} : { timeoutMs: ms }) });
        const stop = new AbortController();
        setTimeout(() => stop.abort('enough'), 100);
        expect(await failure(client.health({}, { signal: stop.signal }))).toBe('enough');
      },
    );
  });

  it.each(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])('takes %s of the runtime for too late', async (code) => {
    const gaveUp = new TypeError('fetch failed', { cause: Object.assign(new Error('Timeout'), { code }) });
    expect(await failing(() => Promise.reject(gaveUp))).toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: expect.stringContaining(`in the time that the runtime allows (${code})`),
      hint: expect.stringContaining('may still finish the request'),
      cause: { name: 'TimeoutError', cause: gaveUp },
    });
  });

  it.each([
    ['answers', async () => Response.json({})],
    ['fails', () => Promise.reject(new TypeError('fetch failed'))],
  ])('leaves no timer behind when the server %s', async (_, answer) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      let during = 0;
      await createClient({
        baseUrl: 'http://dowser.test',
        fetch: () => {
          during = vi.getTimerCount();
          return answer();
        },
      })
        .health()
        .catch(() => undefined);
      expect([during, vi.getTimerCount()]).toEqual([1, 0]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('leaves nothing behind at a signal that lives on', async () => {
    const signal = new AbortController().signal;
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    await connectTo(server.url).health({}, { signal });
    expect(added.mock.calls.length).toBe(1);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
  });

  it.each([0, -1, Number.NaN, '5', null])('refuses timeoutMs %j', async (timeoutMs) => {
    const bad = { timeoutMs: timeoutMs as number };
    const refusal = { code: 'INVALID_REQUEST', field: 'timeoutMs', message: expect.stringContaining(`${timeoutMs}`) };
    expect(() => createClient({ baseUrl: server.url, ...bad })).toThrow(expect.objectContaining(refusal));
    await expect(connectTo(server.url).health({}, bad)).rejects.toMatchObject(refusal);
  });

  it('throws the reason of an abort', async () => {
    const client = createClient({
      baseUrl: 'http://dowser.test',
      fetch: (_, init) => Promise.reject(init?.signal?.reason),
    });
    const thrown = await client.health({}, { signal: AbortSignal.abort('enough') }).catch((reason: unknown) => reason);
    expect(thrown).toBe('enough');
  });
});

describe('the modules a browser loads', () => {
  it('import neither node: modules nor packages', async () => {
    const seen = new Set<string>();
    const visit = async (file: URL): Promise<void> => {
      if (seen.has(file.href)) return;
      seen.add(file.href);
      const source = await readFile(file, 'utf8');
      for (const [statement, from] of source.matchAll(/^(?:import|export) [^;]*?from '([^']+)'/gm)) {
        if (/^(?:import|export) type /.test(statement)) continue;
        expect(from, `${file.pathname} imports ${from}`).toMatch(/^\./);
        await visit(new URL(from!, file));
      }
    };
    await visit(new URL('./index.ts', import.meta.url));
    expect([...seen].map((href) => href.replace(/.*\/src\//, '')).sort()).toEqual([
      'api/calls/call.ts',
      'api/calls/document-calls.ts',
      'api/calls/memory-calls.ts',
      'api/calls/registry-calls.ts',
      'api/routes/routes.ts',
      'api/wire/all-records.ts',
      'api/wire/document-streams.ts',
      'api/wire/if-match.ts',
      'api/wire/revision-header.ts',
      'client/answer-errors.ts',
      'client/client.ts',
      'client/deadline.ts',
      'client/document-streams.ts',
      'client/index.ts',
      'client/remote-documents.ts',
      'client/remote-memories.ts',
      'client/remote-registry.ts',
      'documents/ask/event-stream.ts',
      'model/errors/errors.ts',
      'model/json/json-object.ts',
      'model/text/trim-chars.ts',
    ]);
  });
});
