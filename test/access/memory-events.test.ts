import { afterEach, expect, it } from 'vitest';
import { followMemories } from '../../src/http/memory-service/follow-memories.ts';
import { MemoryEvents } from '../../src/memories/parts/memory-events.ts';
import { unauthenticated } from '../../src/model/caller/access-errors.ts';
import { type Caller, callerOf } from '../../src/model/caller/caller.ts';
import { type AccessServer, accessServer, NOW } from '../support/access-server.ts';

const servers: AccessServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function opened(settings?: Record<string, unknown>): Promise<AccessServer> {
  const server = await accessServer(settings);
  servers.push(server);
  return server;
}

/** The text of a stream of events, as far as it has come. */
async function follow(server: AccessServer, key?: string) {
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
  const server = await opened({ anonymous_read: true, memory_readers: 'everyone' });
  const writer = server.key({ name: 'writer', scopes: ['write'] });
  const [anonymous, own] = [await follow(server), await follow(server, writer)];
  await server.ask('POST', '/api/search', { body: { query: 'my illness' } });
  await server.ask('POST', '/api/search', { key: writer, body: { query: 'my port' } });
  await server.ask('POST', '/api/memories', { key: writer, body: { content: 'The port is 8080' } });
  await expect.poll(() => anonymous.text).toContain('memory_stored');
  await expect.poll(() => own.text).toContain('memory_stored');
  expect(anonymous.text).not.toContain('search_completed');
  expect(own.text.match(/"query":"[^"]*"/g)).toEqual(['"query":"my port"']);
});

it('ends for a key that was revoked, before the next event', async () => {
  const server = await opened({ memory_readers: 'everyone' });
  const admin = server.key({ name: 'admin', scopes: ['admin'] });
  const lost = await follow(server, server.key({ name: 'lost' }));
  const kept = await follow(server, server.key({ name: 'kept' }));
  await expect.poll(() => lost.text).toContain('heartbeat');
  server.keys.revoke('lost', NOW);
  await server.ask('POST', '/api/memories', { key: admin, body: { content: 'The port is 8080' } });
  await expect.poll(() => [lost.isEnded, kept.text.includes('memory_stored')]).toEqual([true, true]);
  expect(lost.text).not.toContain('memory_stored');
  expect(kept.isEnded).toBe(false);
});

it.each([
  ['have expired', () => Promise.reject(unauthenticated('The API key has expired.'))],
  ['have other rights', async () => callerOf({ name: 'ada', groups: [], scopes: ['read'] })],
])('ends at a heartbeat if the credentials %s', async (_, identifyLater) => {
  const caller = callerOf({ name: 'ada', groups: ['ops'], scopes: ['read'] });
  const events = new MemoryEvents(() => NOW, 1);
  let identify: () => Promise<Caller> = async () => caller;
  const response = followMemories(
    new Request('http://127.0.0.1/api/events'),
    { caller, followMemories: (options) => events.follow(caller, options) },
    { identify: () => identify(), stopping: undefined },
  );
  const reader = response.body!.getReader();
  for (let n = 0; n < 3; n++) expect((await reader.read()).done).toBe(false);
  identify = identifyLater;
  let isDone = false;
  for (let n = 0; n < 100 && !isDone; n++) isDone = (await reader.read()).done;
  await reader.cancel();
  expect(isDone).toBe(true);
  expect(events.isFollowed).toBe(false);
});

it('refuses the sixth stream of a caller, and others still follow', async () => {
  const server = await opened({ anonymous_read: true });
  const key = server.key({ name: 'many' });
  const statuses: number[] = [];
  for (let n = 0; n < 6; n++) statuses.push((await follow(server, key)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  expect((await follow(server, server.key({ name: 'other' }))).status).toBe(200);
  expect((await follow(server)).status).toBe(200);
});
