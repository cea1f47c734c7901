import { afterEach, expect, it } from 'vitest';
import { type AccessServer, accessServer } from '../support/access-server.ts';

let server: AccessServer;
afterEach(() => server.close());

/** The text of a stream of events, as far as it has come. */
async function follow(key?: string) {
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const response = await fetch(`${server.url}/api/events`, { headers });
  const seen = { status: response.status, text: '', isEnded: false };
  const read = async () => {
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) seen.text += part;
    seen.isEnded = true;
  };
  void read().catch(() => {});
  return seen;
}

it('an anonymous follower does not hear what other anonymous callers search for', async () => {
  server = await accessServer({ anonymous_read: true });
  const writer = server.key({ name: 'writer', scopes: ['write'] });
  const [anonymous, own] = [await follow(), await follow(writer)];
  await server.ask('POST', '/api/search', { body: { query: 'my illness' } });
  await server.ask('POST', '/api/search', { key: writer, body: { query: 'my port' } });
  await server.ask('POST', '/api/memories', { key: writer, body: { content: 'The port is 8080' } });
  await expect.poll(() => anonymous.text).toContain('memory_stored');
  await expect.poll(() => own.text).toContain('memory_stored');
  expect(anonymous.text).not.toContain('search_completed');
  expect(own.text.match(/"query":"[^"]*"/g)).toEqual(['"query":"my port"']);
});
