import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Access } from '../../access/open-access.ts';
import { parseSettings } from '../../config.ts';
import type { Replica } from '../../engines/replica.ts';
import { type Caller, callerOf } from '../../model/caller/caller.ts';
import { openRegistry } from '../../open.ts';
import type { LocalRegistry } from '../../registry/contract/registry.ts';
import { createApp } from '../app.ts';
import { serverLoad } from '../load/server-load.ts';

const CALLERS: Readonly<Record<string, Caller>> = {
  reader: callerOf({ name: 'reader', groups: [], scopes: ['read'] }),
  writer: callerOf({ name: 'writer', groups: [], scopes: ['write'] }),
  admin: callerOf({ name: 'admin', groups: [], scopes: ['admin'] }),
};
const REVISION = 4711;
let registry: LocalRegistry;
let isBehind = false;
let waited = 0;

beforeAll(async () => {
  registry = await openRegistry({ engine: 'memory', embeddings_provider: 'off' });
});
afterAll(() => registry.close());

function ask(method: string, path: string, who: string | null, headers: Record<string, string> = {}) {
  const state = { isUsable: true, isRebuilding: false, error: null };
  const status = { ...state, epoch: 'e1', revision: REVISION, head: REVISION + 1, behindMs: 3000 };
  const replica: Replica = {
    status: () => ({ ...status, isReady: !isBehind }),
    reached: async ({ seq }) => {
      if (seq > REVISION) waited++;
      return seq <= REVISION;
    },
    embeds: () => false,
    leads: () => false,
    reindex: () => null,
    changeReindex: async (change) => change(null),
    keys: () => null,
    watch() {},
  };
  const access: Access = {
    required: true,
    anonymousRead: false,
    issuer: null,
    webSignIn: null,
    trail: null,
    identify: async (name) => CALLERS[name]!,
    readAudit: async () => [],
    close() {},
  };
  const app = createApp({
    registry: { ...registry, replica },
    access,
    version: '0',
    logger: { info() {}, warn() {}, error() {} },
    load: serverLoad(parseSettings({})),
    logQueryText: false,
    loopbackOnly: true,
  });
  const sent = { host: 'localhost', 'content-type': 'application/json', ...headers };
  const credentials: Record<string, string> = who === null ? {} : { authorization: `Bearer ${who}` };
  const body = method === 'GET' ? {} : { body: JSON.stringify(BODY) };
  return app.request(`http://localhost${path}`, { method, headers: { ...sent, ...credentials }, ...body });
}
const BODY = { query: 'x', type: 'skill', path: '/x', name: 'x', description: 'x' };

it.each([
  ['a write', 'POST', '/api/entities', 'writer', `e1.${REVISION}`],
  ['a search of one who sees everything', 'POST', '/api/search/semantic', 'admin', `e1.${REVISION}`],
  ['a search', 'POST', '/api/search/semantic', 'reader', null],
  ['a read', 'GET', '/api/entities', 'admin', null],
  ['a write that is refused', 'POST', '/api/entities', 'reader', null],
  ['a write without credentials', 'POST', '/api/entities', null, null],
])('the answer to %s says how many writes there are, or not', async (_, method, path, who, expected) => {
  expect((await ask(method, path, who)).headers.get('dowser-revision')).toBe(expected);
});

it('waits for a revision only for callers it knows, and does not say its own', async () => {
  const headers = { 'dowser-revision': '9999' };
  expect((await ask('GET', '/api/entities', null, headers)).status).toBe(401);
  expect(waited).toBe(0);
  const late = await ask('GET', '/api/entities', 'reader', headers);
  expect([late.status, waited]).toEqual([503, 1]);
  expect(await late.text()).not.toContain(String(REVISION));
});

it('says that it is behind without the number of writes', async () => {
  isBehind = true;
  const answer = await ask('GET', '/ready', null);
  isBehind = false;
  const text = await answer.text();
  expect([answer.status, text.includes('3 seconds behind'), text.includes(String(REVISION))]).toEqual([
    503,
    true,
    false,
  ]);
});
