import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DocumentServer } from '../../../test/support/document-server.ts';
import { DEFAULT_LIMITS } from '../source.ts';
import { boundedBody } from './bounded-fetch.ts';
import { fetchDocument } from './read-document.ts';

let site: DocumentServer;
beforeEach(async () => {
  site = await DocumentServer.open();
});
afterEach(() => site.close());

const limits = { ...DEFAULT_LIMITS, listMs: 1000, maxBytes: 20_000 };
const signal = new AbortController().signal;

describe('fetchDocument', () => {
  const fetch = (path: string) => fetchDocument(`${site.url}${path}`, { limits, signal, headers: { 'X-Key': 'k' } });

  it('follows redirects within bounds, and gives a key to no other site', async () => {
    const other = await DocumentServer.open(() => ({ body: 'there' }));
    try {
      site.answer((url) =>
        url.pathname === '/away'
          ? { status: 302, headers: { Location: `${other.url}/x` }, body: '' }
          : { status: 301, headers: { Location: '/round' }, body: '' },
      );
      expect(await fetch('/away')).toMatchObject({ status: 200, text: 'there', url: `${other.url}/x` });
      expect(other.requests[0]!.headers['x-key']).toBeUndefined();
      for (const { headers } of [...site.requests, ...other.requests]) expect(headers['user-agent']).toBe('dowser');
      await expect(fetch('/round')).rejects.toThrow('redirects more than 5 times');
    } finally {
      await other.close();
    }
  });

  it.each([
    ['announced', {}],
    ['not announced', { 'Transfer-Encoding': 'chunked' }],
  ])('stops at the limit, its size being %s', async (_, headers) => {
    site.answer(() => ({ headers, body: 'x'.repeat(30_000) }));
    await expect(fetch('/')).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
  });

  it('leaves an endless stream alone', async () => {
    site.answer(() => ({ type: 'text/event-stream', body: 'data: x\n\n' }));
    expect(await fetch('/sse')).toMatchObject({ contentType: 'text/event-stream', text: '' });
  });

  it('refuses other protocols, also where a redirect leads to one', async () => {
    await expect(fetchDocument('file:///etc/passwd', { limits, signal })).rejects.toThrow(
      'not an http or https address',
    );
    site.answer(() => ({ status: 302, headers: { Location: 'file:///etc/passwd' }, body: '' }));
    await expect(fetch('/')).rejects.toThrow('not an http or https address');
  });

  it('says a user and a password by a header', async () => {
    site.answer(() => ({ body: 'ok' }));
    await fetchDocument(site.url.replace('://', '://me:p%40ss@'), { limits, signal });
    expect(site.requests[0]!.headers.authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
  });

  it('gives up on a site that does not answer', async () => {
    const silent = await DocumentServer.open();
    const { url } = silent;
    await silent.close();
    await expect(fetchDocument(url, { limits, signal })).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' });
  });
});

describe('the limit of a stream of events', () => {
  const event = `data: ${'x'.repeat(50)}\n\n`;
  const streamed = (events: readonly string[], each?: 'event') => {
    const body = ReadableStream.from(events).pipeThrough(new TextEncoderStream());
    return boundedBody(new Response(body, { headers: { 'content-type': 'text/event-stream' } }), 100, each).text();
  };

  it('is one for each event only where a stream is read event by event', async () => {
    expect(await streamed([event])).toBe(event);
    await expect(streamed([event, event])).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
    expect(await streamed([event, event, event], 'event')).toBe(event.repeat(3));
    await expect(streamed([event, 'x'.repeat(101)], 'event')).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
  });
});
