import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { addServer } from '../../test/support/called-registry.ts';
import { type HttpUpstream, httpUpstream, SPEECHES, type Speech } from '../../test/support/http-upstream.ts';
import type { SettingsInput } from '../config.ts';
import { openRegistry } from '../open.ts';
import type { CallAnswer, LocalRegistry } from '../registry/contract/registry.ts';
import { SignInFile } from '../sources/mcp/sign-in/sign-in-file.ts';

vi.setConfig({ testTimeout: 60_000 });

const open: { registry: LocalRegistry; upstream: HttpUpstream; dir: string }[] = [];
afterEach(async () => {
  for (const { registry, upstream, dir } of open.splice(0)) {
    await registry.close();
    await upstream.close();
    await rm(dir, { recursive: true, force: true });
  }
});

/** A registry with one server at an address: `/far`. */
async function far(speech: Speech, settings: SettingsInput = {}) {
  const upstream = await httpUpstream(speech);
  const dir = await mkdtemp(join(tmpdir(), 'dowser-far-'));
  const registry = await openRegistry({
    engine: 'memory',
    data_dir: dir,
    embeddings_provider: 'off',
    call: 'destructive',
    call_rate: 0,
    ...settings,
  });
  open.push({ registry, upstream, dir });
  const transport = speech === 'sse' ? ({ transport: 'sse' } as const) : {};
  await addServer(registry, dir, { url: upstream.url, name: 'far', ...transport });
  upstream.log.length = 0;
  const call = (tool: string, args: object = {}, more: object = {}, options = {}) =>
    registry.call({ path: `/far#${tool}`, arguments: args, ...more }, options);
  return { registry, upstream, call, dir };
}
const textOf = ({ result }: CallAnswer) => (result.content as { text: string }[]).map(({ text }) => text).join('');
const code = (name: string, more: object = {}) => expect.objectContaining({ code: name, ...more });
const sent = ({ log }: HttpUpstream) => log.filter((line) => line.startsWith('call '));

describe.each(SPEECHES)('a server at an address: %s', (speech) => {
  it('answers calls, also many at once, each its own', async () => {
    const { call, registry } = await far(speech);
    const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => call('echo', { text: `text ${at}` })));
    expect(answers.map(textOf)).toEqual(Array.from({ length: 40 }, (_, at) => `text ${at}`));
    const [{ transport, pid } = { transport: null, pid: 0 }] = await registry.upstreams();
    expect([transport, pid]).toEqual([speech === 'sse' ? 'sse' : 'streamable-http', null]);
  });

  it('tells its progress', async () => {
    const { call } = await far(speech);
    const told: unknown[] = [];
    const answer = await call('progress', {}, {}, { onProgress: (progress: unknown) => void told.push(progress) });
    expect(textOf(answer)).toBe('done');
    expect(told[0]).toMatchObject({ progress: 1 });
  });

  it('is told that a call is cancelled, by its caller or because it takes too long', async () => {
    const { call, upstream } = await far(speech);
    const controller = new AbortController();
    const cancelled = call('hang', {}, {}, { signal: controller.signal });
    cancelled.catch(() => {});
    await vi.waitFor(() => expect(upstream.log).toContain('call hang'), { timeout: 30_000 });
    controller.abort();
    await expect(cancelled).rejects.toThrow(code('CANCELLED'));
    await vi.waitFor(() => expect(upstream.log).toContain('cancelled hang'), { timeout: 30_000 });
    await expect(call('hang', {}, { timeout_s: 1 })).rejects.toThrow(code('TIMEOUT'));
    await vi.waitFor(() => expect(upstream.log.filter((line) => line === 'cancelled hang')).toHaveLength(2), {
      timeout: 30_000,
    });
  });

  it.each(['reset', 'drop'])('has run a write once whose answer is lost, and a read again: %s', async (fault) => {
    const { call, upstream } = await far(speech);
    // Others have a call under way on the same connection.
    await call('echo');
    await expect(call(`${fault}_write`)).rejects.toThrow(code('OUTCOME_UNKNOWN'));
    expect(sent(upstream)).toEqual(['call echo', `call ${fault}_write`]);
    await expect(call(`${fault}_read`)).rejects.toThrow(code('UNAVAILABLE'));
    expect(sent(upstream).slice(2)).toEqual([`call ${fault}_read`, `call ${fault}_read`]);
    expect(textOf(await call('echo', { text: 'again' }))).toBe('again');
  });

  it('gives its errors with their code', async () => {
    const { call } = await far(speech);
    await expect(call('refuse')).rejects.toThrow(
      code('PROTOCOL', { details: { retryable: false, upstream_code: -32_602 } }),
    );
    await expect(call('ask')).rejects.toThrow(code('INPUT_NEEDED'));
  });

  it('that requires a sign-in says how the operator signs in', async () => {
    const { call, upstream } = await far(speech);
    upstream.refuse(401);
    const hint = expect.objectContaining({ code: 'SIGN_IN_NEEDED', ownHint: expect.stringContaining('dowser login') });
    await expect(call('echo')).rejects.toThrow(hint);
    upstream.refuse(null);
    expect(textOf(await call('echo', { text: 'x' }))).toBe('x');
    upstream.refuse(401);
    await expect(call('write')).rejects.toThrow(hint);
    expect(sent(upstream)).toEqual(['call echo']);
  });

  it('that has restarted is reached again', async () => {
    const { call, upstream } = await far(speech);
    await call('count');
    upstream.forget();
    expect(textOf(await call('count'))).toBe('2');
    expect(sent(upstream)).toEqual(['call count', 'call count']);
  });

  it('that is not there is UNAVAILABLE, and used again when it is', async () => {
    const { call, upstream } = await far(speech);
    upstream.refuse(503);
    await expect(call('echo')).rejects.toThrow(
      code('UNAVAILABLE', { details: expect.objectContaining({ retryable: true }) }),
    );
    upstream.refuse(null);
    expect(textOf(await call('echo', { text: 'x' }))).toBe('x');
  });
});

describe.each(SPEECHES)('a server with a sign-in: %s', (speech) => {
  /** Signed in, unless `false`. */
  async function signedIn(isSignedIn = true) {
    const opened = await far(speech);
    // It runs already, and required no sign-in so far.
    await opened.call('echo');
    const tokens = opened.upstream.requireSignIn();
    const file = new SignInFile(opened.dir);
    const { url } = opened.upstream;
    const issuer = new URL(url).origin;
    const signIn = (client_id = 'c1') =>
      file.put(url, { client: { client_id, issuer }, tokens: { ...tokens.current(), issuer } });
    if (isSignedIn) signIn();
    return { ...opened, tokens, signIn, stored: () => file.get(url)?.tokens };
  }

  it('is sent the token, and no answer shows it, also one that was refreshed during the call', async () => {
    const { call, tokens, stored } = await signedIn();
    expect(textOf(await call('token'))).toBe('You sent [redacted].');
    tokens.expire();
    expect(textOf(await call('token'))).toBe('You sent [redacted].');
    expect([tokens.refreshes(), stored()?.access_token]).toEqual([1, tokens.current().access_token]);
  });

  it('gets one refresh for all calls at once, because an issuer takes a refresh token once', async () => {
    const { call, tokens, upstream } = await signedIn();
    await call('echo');
    for (let round = 1; round <= 3; round++) {
      tokens.expire();
      upstream.log.length = 0;
      const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => call('write', { text: `text ${at}` })));
      expect(answers.map(textOf)).toEqual(Array.from({ length: 8 }, (_, at) => `text ${at}`));
      expect([tokens.refreshes(), sent(upstream).length]).toEqual([round, 8]);
    }
  });

  it('says that it needs a sign-in after the last one has ended, and works after the next, however often it was called', async () => {
    const { call, tokens, signIn, stored } = await signedIn();
    await call('echo');
    tokens.revoke();
    for (let nth = 0; nth < 5; nth++) await expect(call('write')).rejects.toThrow(code('SIGN_IN_NEEDED'));
    expect(stored()).toBeUndefined();
    tokens.renew();
    signIn();
    expect(textOf(await call('echo', { text: 'again' }))).toBe('again');
  });

  it('that was used without a sign-in uses the one that is made meanwhile', async () => {
    const { call, signIn } = await signedIn(false);
    for (let nth = 0; nth < 5; nth++) await expect(call('echo')).rejects.toThrow(code('SIGN_IN_NEEDED'));
    signIn();
    expect(textOf(await call('echo', { text: 'x' }))).toBe('x');
  });

  it('whose issuer is down keeps its sign-in, and nothing was sent', async () => {
    const { call, tokens, upstream, stored } = await signedIn();
    await call('echo');
    upstream.log.length = 0;
    tokens.expire();
    tokens.setDown(true);
    await expect(call('write')).rejects.toThrow(code('UNAVAILABLE'));
    expect([sent(upstream), stored()?.refresh_token]).toEqual([[], tokens.current().refresh_token]);
    tokens.setDown(false);
    expect(textOf(await call('write', { text: 'x' }))).toBe('x');
  });

  it('follows a sign-in that another process has refreshed', async () => {
    const { call, tokens, signIn } = await signedIn();
    await call('echo');
    tokens.renew();
    signIn();
    expect(textOf(await call('echo', { text: 'x' }))).toBe('x');
    expect(tokens.refreshes()).toBe(0);
  });

  it('keeps what it knows of one person from the next who signs in', async () => {
    const { call, tokens, upstream, signIn } = await signedIn();
    await call('echo');
    tokens.renew();
    signIn('of somebody else');
    upstream.log.length = 0;
    await call('echo', { text: 'x' });
    expect(upstream.log).toEqual(['session', 'call echo']);
  });
});

it('a server that all callers share gets the headers of each call, and none of another', async () => {
  const { registry, upstream } = await far('modern');
  const callers = ['ada', 'bob', 'eve'].map((name) => registry.as({ readers: null, name, scopes: ['admin'] }));
  await Promise.all(
    Array.from({ length: 30 }, (_, at) => {
      const args = at % 5 === 0 ? {} : { region: `place-${at}` };
      return callers[at % 3]!.call({ path: '/far#region', arguments: args });
    }),
  );
  const seen = upstream.log.filter((line) => line.startsWith('region '));
  const expected = Array.from({ length: 30 }, (_, at) => (at % 5 === 0 ? 'undefined' : `place-${at}`));
  expect(seen.sort()).toEqual(expected.map((place) => `region ${place} ${place}`).sort());
  expect(await registry.upstreams()).toHaveLength(1);
});

it('an answer that is lost takes no other call with it', async () => {
  const { call, upstream } = await far('modern');
  await call('echo');
  const controller = new AbortController();
  const other = call('hang', {}, {}, { signal: controller.signal }).catch((error: unknown) => error);
  await vi.waitFor(() => expect(upstream.log).toContain('call hang'), { timeout: 30_000 });
  await expect(call('reset_write')).rejects.toThrow(code('OUTCOME_UNKNOWN'));
  expect(upstream.log).not.toContain('cancelled hang');
  controller.abort();
  expect(await other).toMatchObject({ code: 'CANCELLED' });
});
