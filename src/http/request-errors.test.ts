import { describe, expect, it } from 'vitest';
import { appWith } from '../../test/support/test-app.ts';
import { DowserError } from '../model/errors/errors.ts';

describe('requests and errors', () => {
  it('says where the body stops being JSON', async () => {
    const { status, error } = await (await appWith()).send('POST', '/api/search/semantic', '{"query": }');
    expect([status, error?.code]).toEqual([400, 'MALFORMED_JSON']);
    expect(error?.message).toContain('line 1, column 11');
  });

  it.each([
    [{ query: 'x', max_results: 0 }, 'max_results'],
    [{ query: 'x', max_results: 51 }, 'max_results'],
    [{ query: 'x', max_results: 2.5 }, 'max_results'],
    [{ query: 7 }, 'query'],
    [{ query: 'x', weights: { keyword: 0, vector: 0 } }, 'weights'],
    [null, undefined],
  ])('refuses the search %j with the field', async (body, field) => {
    const { status, error } = await (await appWith()).send('POST', '/api/search/semantic', JSON.stringify(body));
    expect([status, error?.code, error?.field]).toEqual([422, 'INVALID_REQUEST', field]);
    expect(error?.hint).toContain('/openapi.json');
  });

  it('refuses a body over the limit, announced or not', async () => {
    const { send } = await appWith();
    const { status, error } = await send('POST', '/api/search/semantic', { query: 'x'.repeat(1000) });
    expect([status, error?.code]).toEqual([413, 'BODY_TOO_LARGE']);
    expect(error?.hint).toContain('body_limit_bytes');
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded'])('refuses a body of type %s', async (type) => {
    const { error } = await (await appWith()).send('POST', '/api/search/semantic', '{"query":"x"}', {
      'Content-Type': type,
    });
    expect(error).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE', field: 'Content-Type' });
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'application/vnd.api+json'])(
    'reads a body of type %s',
    async (type) => {
      const { status } = await (await appWith()).send('POST', '/api/search/semantic', '{"query":"x"}', {
        'Content-Type': type,
      });
      expect(status).toBe(200);
    },
  );

  it('answers an unknown route with 404 and a hint', async () => {
    const { status, error } = await (await appWith()).send('GET', '/api/nothing');
    expect([status, error?.code]).toEqual([404, 'NOT_FOUND']);
    expect(error?.hint).toContain('/openapi.json');
  });

  it.each([
    ['GET', '/api/search/semantic', 'POST, OPTIONS'],
    ['POST', '/api/entities/skill/x', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
    ['DELETE', '/api/entities:batch', 'POST, OPTIONS'],
    ['POST', '/', 'GET, HEAD, OPTIONS'],
  ])('answers %s %s with 405 and Allow', async (method, path, allow) => {
    const { status, error, response } = await (await appWith()).send(method, path);
    expect([status, error?.code, response.headers.get('allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', allow]);
  });

  it('answers OPTIONS with what is allowed and no cross-origin permission', async () => {
    const { status, response } = await (await appWith()).send('OPTIONS', '/api/search/semantic');
    expect([status, response.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('hides the details of an internal error from the caller and logs them', async () => {
    const fails = async () => {
      throw new TypeError('secret inner detail');
    };
    const { send, lines } = await appWith({ search: fails });
    const { status, text, error } = await send('POST', '/api/search/semantic', { query: 'x' });
    expect([status, error?.code]).toEqual([500, 'INTERNAL']);
    expect(text).not.toContain('secret');
    expect(String(lines.find((line) => line.level === 'error')?.facts.err)).toContain('secret inner detail');
  });

  it('gives an error of Dowser its own status', async () => {
    const fails = async () => {
      throw new DowserError('STORE_FULL', 'The disk is full.', { hint: 'Make room.' });
    };
    const { status, json } = await (await appWith({ search: fails })).send('POST', '/api/search/semantic', {});
    expect([status, json]).toEqual([
      507,
      {
        error: { code: 'STORE_FULL', message: 'The disk is full.', hint: 'Make room.' },
        detail: 'The disk is full.',
      },
    ]);
  });
});
