import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnauthorizedError } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../source.ts';
import { readMcpServer } from '../mcp-source.ts';
import { openCallbackServer } from './callback-server.ts';
import { signIn } from './sign-in.ts';
import { checkNotPrivate, signInFetch } from './sign-in-fetch.ts';
import { SignInFile } from './sign-in-file.ts';
import { NotRefreshed, StoredSignIn } from './stored-sign-in.ts';

let folder: string;
const servers: Server[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowser-sign-in-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true });
});

interface Asked {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

async function listen(answer: (request: Asked, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    answer({ url: request.url ?? '', headers: request.headers }, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

/** A server that wants a sign-in, and an issuer at another origin, which refuses every token. */
async function refusingIssuer(): Promise<{ readonly url: string; readonly asked: readonly Asked[] }> {
  const asked: Asked[] = [];
  const issuer: string = await listen((request, response) => {
    asked.push(request);
    if (request.url.startsWith('/.well-known/')) {
      json(response, {
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      });
    } else json(response, { error: 'invalid_grant' }, 400);
  });
  const url: string = await listen((request, response) => {
    if (request.url.startsWith('/.well-known/'))
      json(response, { resource: `${url}/mcp`, authorization_servers: [issuer] });
    else response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
  });
  return { url: `${url}/mcp`, asked };
}

const options = () => ({
  folder,
  limits: DEFAULT_LIMITS,
  version: '0',
  signal: new AbortController().signal,
  waitMs: 20_000,
});

describe('a reading with a sign-in', () => {
  it('sends the headers of the user to the server only, and never asks a person', async () => {
    const { url, asked } = await refusingIssuer();
    const file = new SignInFile(folder);
    file.put(url, {
      client: { client_id: 'c' },
      tokens: { access_token: 'a', token_type: 'Bearer', refresh_token: 'r' },
    });
    const spec = { url, headers: { 'X-Key': 'opensesame1', 'User-Agent': 'somebody' } };
    const reading = { env: {}, signInFolder: folder, subject: 'The server', ...options() };
    await expect(readMcpServer(spec, reading)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(asked.map((request) => request.url)).toContain('/token');
    for (const { headers } of asked) {
      expect(headers).not.toHaveProperty('x-key');
      expect(headers['user-agent']).toBe('dowser/0');
    }
    expect(asked.some((request) => request.url.startsWith('/register'))).toBe(false);
    expect(file.get(url)).toEqual({ client: { client_id: 'c' } });
  });
});

describe('a token that was refused', () => {
  const address = 'http://127.0.0.1:1/mcp';
  const tokens = (nth: number) => ({ access_token: `a${nth}`, refresh_token: `r${nth}`, token_type: 'Bearer' });
  /** `sent`: the number of the token that the refused request had. `answer`: that of the issuer to a refresh token. */
  async function refused(sent: number, answer: (file: SignInFile, refreshToken: string | null) => Response) {
    const file = new SignInFile(folder);
    const client = { client_id: 'c' };
    file.put(address, { client, tokens: tokens(1) });
    const stored = new StoredSignIn(file, address);
    const response = new Response(null, { status: 401 });
    stored.noteRefused(response, `Bearer a${sent}`);
    const asked: (string | null)[] = [];
    const fetchFn = async (input: string | URL, init?: RequestInit) => {
      const { pathname, origin } = new URL(input);
      if (pathname !== '/token') {
        const metadata = {
          issuer: origin,
          authorization_endpoint: `${origin}/auth`,
          token_endpoint: `${origin}/token`,
          response_types_supported: ['code'],
        };
        return pathname.includes('oauth-authorization-server')
          ? Response.json(metadata)
          : new Response('', { status: 404 });
      }
      const token = new URLSearchParams(String(init?.body)).get('refresh_token');
      asked.push(token);
      return answer(file, token);
    };
    await stored.transportAuth(20_000).onUnauthorized!({ response, serverUrl: new URL(address), fetchFn });
    return { asked, stored: file.get(address)?.tokens?.access_token, secrets: stored.secrets };
  }
  const invalid = () => Response.json({ error: 'invalid_grant' }, { status: 400 });

  it('is refreshed, unless somebody has done it since', async () => {
    const answer = () => Response.json(tokens(2));
    expect(await refused(1, answer)).toMatchObject({ asked: ['r1'], stored: 'a2' });
    expect(await refused(0, answer)).toMatchObject({ asked: [], stored: 'a1' });
  });

  it('is refreshed with the newest refresh token, and never forgets one that another process has stored', async () => {
    const found = await refused(1, (file, token) => {
      if (token === 'r2') return Response.json(tokens(3));
      file.put(address, { client: { client_id: 'c' }, tokens: tokens(2) });
      return invalid();
    });
    expect(found).toMatchObject({ asked: ['r1', 'r2'], stored: 'a3' });
    expect(found.secrets).toEqual(expect.arrayContaining(['a1', 'r1', 'a2', 'r2', 'a3', 'r3']));
  });

  it('is forgotten where its issuer refuses it, and kept where the issuer does not answer', async () => {
    await expect(refused(1, invalid)).rejects.toThrow(UnauthorizedError);
    expect(new SignInFile(folder).get(address)).toEqual({ client: { client_id: 'c' } });
    const failing = () => {
      throw new TypeError('fetch failed');
    };
    await expect(refused(1, failing)).rejects.toThrow(NotRefreshed);
    expect(new SignInFile(folder).get(address)?.tokens).toMatchObject(tokens(1));
  });
});

describe('signIn', () => {
  it('says that a server needs none', async () => {
    const url = await listen((_, response) => json(response, {}));
    expect(await signIn(url, { ...options(), onAddress: () => {} })).toBeUndefined();
  });

  it('uses the client that it is given, and says that the issuer refused', async () => {
    const { url, asked } = await refusingIssuer();
    const done = signIn(url, {
      ...options(),
      client: { id: 'mine' },
      onAddress(address) {
        const callback = new URL(address.searchParams.get('redirect_uri')!);
        expect(address.searchParams.get('client_id')).toBe('mine');
        callback.searchParams.set('error', 'access_denied');
        callback.searchParams.set('state', address.searchParams.get('state')!);
        void fetch(callback);
      },
    });
    await expect(done).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'The issuer refused the sign-in: access_denied.',
    });
    expect(new Set(asked.map(({ headers }) => headers['user-agent']))).toEqual(new Set(['dowser/0']));
    expect(new SignInFile(folder).all()).toEqual({});
  });

  it('gives up if nobody signs in, and if no client can be registered', async () => {
    const { url } = await refusingIssuer();
    const waiting = signIn(url, { ...options(), waitMs: 50, client: { id: 'mine' }, onAddress: () => {} });
    await expect(waiting).rejects.toThrow('The sign-in was not completed within 0.05 s.');
    await expect(signIn(url, { ...options(), onAddress: () => {} })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      hint: expect.stringContaining('--client-id'),
    });
  });
});

describe('the callback', () => {
  it('takes the redirect with its own state only', async () => {
    const callback = await openCallbackServer(0);
    try {
      const status = async (query: string) => (await fetch(`${callback.url}${query}`)).status;
      expect(await status('?code=early&state=s1')).toBe(400);
      const received = callback.parameters('s1', new AbortController().signal);
      expect(await status('?code=theirs&state=other')).toBe(400);
      expect(await status('/elsewhere?code=x&state=s1')).toBe(404);
      expect(await status('?code=mine&state=s1')).toBe(200);
      expect((await received).get('code')).toBe('mine');
    } finally {
      await callback.close();
    }
  });
});

describe('a callback that is closed', () => {
  it('does not wait for a connection without a request', async () => {
    const callback = await openCallbackServer(0);
    const silent = connect(Number(new URL(callback.url).port), '127.0.0.1');
    await new Promise((resolve) => silent.once('connect', resolve));
    const received = callback.parameters('s1', new AbortController().signal);
    await fetch(`${callback.url}?code=mine&state=s1`);
    await received;
    const ended = new Promise((resolve) => silent.once('close', resolve));
    silent.on('error', () => {}).resume();
    await callback.close();
    await ended;
  });
});

describe('a redirect of the issuer', () => {
  const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

  it.each([
    ['discovery', 'another site', {}],
    ['discovery', 'the same site', {}],
    ['the token endpoint', 'another site', { method: 'POST', headers: FORM, body: 'code=c1&client_secret=s1' }],
    ['the token endpoint', 'the same site', { method: 'POST', headers: FORM, body: 'code=c1&client_secret=s1' }],
    ['the token endpoint', 'the same site', { method: 'POST', body: new URLSearchParams({ code: 'c1' }) }],
  ])('of %s to %s', async (from, to, init) => {
    const asked: string[] = [];
    const note = ({ url }: Asked, response: ServerResponse) => {
      asked.push(url);
      json(response, {});
    };
    const elsewhere = await listen(note);
    const issuer: string = await listen((request, response) => {
      if (request.url === '/target') return note(request, response);
      const site = to === 'another site' ? elsewhere : issuer;
      response.writeHead(307, { Location: `${site}/target` }).end();
    });
    const { limits, version, signal } = options();
    const answer = signInFetch(new URL(issuer), limits, version, signal)(`${issuer}/start`, init);
    if (from === 'discovery' && to === 'the same site') {
      expect((await answer).status).toBe(200);
      expect(asked).toEqual(['/target']);
      return;
    }
    await expect(answer).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' });
    expect(asked).toEqual([]);
  });
});

describe('the issuer of a public server', () => {
  it('is not asked in a private network', () => {
    const server = new URL('https://mcp.example.com/mcp');
    expect(() => checkNotPrivate(server, new URL('http://127.0.0.1:9/'))).toThrow('private network');
    expect(() => checkNotPrivate(server, new URL('https://login.example.com/'))).not.toThrow();
    expect(() => checkNotPrivate(new URL('http://127.0.0.1/mcp'), new URL('http://127.0.0.1:9/'))).not.toThrow();
  });
});

describe('SignInFile', () => {
  it('keeps each server by its address, without parameters and slashes', async () => {
    const file = new SignInFile(folder);
    const client = { client_id: 'c' };
    file.put('https://a.example/mcp/?key=x', { client });
    expect(file.get('https://a.example/mcp')).toEqual({ client });
    expect((await stat(join(folder, 'sign-ins.json'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, 'sign-ins.json'), 'utf8')).not.toContain('key=x');
    expect(file.get('https://a.example/other')).toBeUndefined();
    expect([file.delete('https://a.example/mcp'), file.delete('https://a.example/mcp')]).toEqual([true, false]);
  });
});
