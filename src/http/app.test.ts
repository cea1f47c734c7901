import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../test/support/memory-registry.ts';
import { appWith } from '../../test/support/test-app.ts';
import { CHALLENGE_HEADER, PROOF_HEADER, proofOf } from '../api/wire/local-proof.ts';

describe('every request', () => {
  it('sends safe headers, a timing and a request id with every answer, errors too', async () => {
    const { send } = await appWith();
    for (const { response } of [
      await send('GET', '/api/health'),
      await send('GET', '/nothing'),
      await send('GET', '/'),
    ]) {
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(response.headers.get('server-timing')).toMatch(/^total;dur=[\d.]+$/);
      expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
    }
  });

  it("keeps a caller's request id unless it could forge a log line", async () => {
    const { send } = await appWith();
    const idOf = async (id: string) =>
      (await send('GET', '/api/health', undefined, { 'X-Request-Id': id })).response.headers.get('x-request-id');
    expect(await idOf('abc-123')).toBe('abc-123');
    expect(await idOf('a b"{}')).not.toBe('a b"{}');
  });

  it('logs a line for each request, without the query text', async () => {
    const { send, lines } = await appWith();
    await send('POST', '/api/search/semantic', { query: 'my private words' });
    await send('POST', '/api/search/semantic', { query: 'my private words'.repeat(40), preset: 'registry' });
    expect(lines.map(({ facts }) => [facts.method, facts.path, facts.status])).toEqual([
      ['POST', '/api/search/semantic', 200],
      ['POST', '/api/search/semantic', 422],
    ]);
    expect(JSON.stringify(lines)).not.toContain('private');
  });

  it('logs the query text when the setting asks for it', async () => {
    const { send, lines } = await appWith({}, { logQueryText: true });
    await send('POST', '/api/search/semantic', { query: 'my private words' });
    expect(lines[0]?.facts.query).toBe('my private words');
  });

  it('answers health with 200 also when degraded', async () => {
    const { health } = await memoryRegistry();
    const degraded = async () => ({ ...(await health()), status: 'degraded' as const });
    const { status, json } = await (await appWith({ health: degraded })).send('GET', '/api/health');
    expect([status, json.status]).toEqual([200, 'degraded']);
  });

  it('answers HEAD as GET without the body', async () => {
    const { status, text } = await (await appWith()).send('HEAD', '/api/entities/skill/none');
    expect([status, text]).toEqual([404, '']);
    expect((await (await appWith()).send('HEAD', '/')).status).toBe(200);
  });

  it('has a page at / for browsers that shows the address it was asked at', async () => {
    const { response, text } = await (await appWith()).send('GET', '/');
    expect(response.headers.get('content-type')).toContain('text/html');
    for (const part of ['/openapi.json', '/api/health', 'curl http://localhost/api/search/semantic']) {
      expect(text).toContain(part);
    }
  });

  it('proves its secret to those who ask, and only then', async () => {
    const { send } = await appWith({}, { secret: 'abc' });
    const proof = async (headers: Record<string, string>) =>
      (await send('GET', '/api/health', undefined, headers)).response.headers.get(PROOF_HEADER);
    expect(await proof({ [CHALLENGE_HEADER]: 'one' })).toBe(proofOf('abc', 'one'));
    expect(await proof({ [CHALLENGE_HEADER]: 'two' })).not.toBe(proofOf('abc', 'one'));
    expect([await proof({}), await proof({ [CHALLENGE_HEADER]: 'x'.repeat(1000) })]).toEqual([null, null]);
  });
});
