import { rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditFolder } from '../../src/access/audit-log.ts';
import { readAudit } from '../../src/access/read-audit.ts';
import { type AccessServer, accessServer } from '../support/access-server.ts';

let server: AccessServer;
let key: string;
beforeAll(async () => {
  server = await accessServer();
  const owner = server.key({ name: 'alice', scopes: ['write'], groups: ['a'] });
  key = server.key({ name: 'bob', scopes: ['write'], groups: ['b'] });
  const body = { name: 'plan', description: 'Plans a launch.', visibility: 'private' };
  await server.ask('PUT', '/api/entities/skill//hidden', { key: owner, body });
  const open = { type: 'mcp_server', path: '/open', name: 'open', description: 'x', tools: [{ name: 'go' }] };
  await server.registry.put({ ...open, owner: 'root' });
  await server.registry.addVersion({ ...open, version: '9.0.0', visibility: 'private', owner: 'root' });
});
afterAll(() => server.close());

const ROUTES = [
  ['PUT', (path: string) => `/api/entities/skill//${path}`],
  ['POST', () => '/api/skills'],
] as const;

/** The answers of both routes, without the path, which the caller knows. */
const answersFor = (path: string, headers: Record<string, string>, more: object) =>
  Promise.all(
    ROUTES.map(async ([method, urlOf]) => {
      const body = { name: 'plan', path: `/${path}`, description: 'Plans a launch.', ...more };
      const { status, error } = await server.ask(method, urlOf(path), { key, body, headers });
      return { status, code: error?.code, message: error?.message.replaceAll(path, 'PATH') };
    }),
  );

it.each([
  ['*', {}],
  ['"stale"', {}],
  ['*', { owner: 'somebody' }],
])('a write with If-Match: %s and %o does not tell a hidden entity from none', async (tag, more) => {
  const hidden = await answersFor('hidden', { 'If-Match': tag }, more);
  expect(hidden.map(({ status, code }) => `${status} ${code}`)).toEqual(ROUTES.map(() => '412 PRECONDITION_FAILED'));
  expect(hidden).toEqual(await answersFor('absent', { 'If-Match': tag }, more));
});

it.each([
  ['another owner', { owner: 'somebody' }, 403],
  ['an unknown visibility', { visibility: 'nobody' }, 422],
  ['a wrong field', { tags: 1 }, 422],
])('a write with %s does not tell a hidden entity from none', async (_, more, status) => {
  const hidden = await answersFor('hidden', {}, more);
  expect(hidden.map((answer) => answer.status)).toEqual(ROUTES.map(() => status));
  expect(hidden).toEqual(await answersFor('absent', {}, more));
});

it('another spelling of the path tells nothing more', async () => {
  const put = async (path: string, headers: Record<string, string>) => {
    const body = { name: 'plan', description: 'x', path: `/${path}/` };
    const { status, error } = await server.ask('PUT', `/api/entities/skill/%2F${path}%2F`, { key, body, headers });
    return [status, error?.code, error?.message.replaceAll(path, 'PATH')];
  };
  const condition = { 'If-Match': '*' };
  expect(await put('hidden', condition)).toEqual(await put('absent', condition));
  expect(await put('hidden', {})).toEqual([409, 'ALREADY_EXISTS', "There is already a skill at '/PATH/'."]);
});

it('a batch that fails for another reason tells nothing about a hidden path', async () => {
  const skill = (path: string, more: object = {}) => ({ type: 'skill', path, name: 'x', description: 'x', ...more });
  const answer = async (first: string, last: object) => {
    const { status, error } = await server.ask('POST', '/api/entities:batch', {
      key,
      body: { entities: [skill(`/${first}`), last] },
    });
    return [status, error?.code, error?.message];
  };
  for (const last of [
    skill('/mine', { owner: 'somebody' }),
    { type: 'tool', path: '/open#go', name: 'go', description: 'x' },
  ]) {
    const absent = await answer('absent', last);
    expect(absent[1]).not.toBe('ALREADY_EXISTS');
    expect(await answer('hidden', last)).toEqual(absent);
  }
});

it('who may not change a server learns nothing of its hidden versions', async () => {
  const register = async (version: string) => {
    const body = { name: 'open', path: '/open', description: 'x', proxy_pass_url: 'https://open.example', version };
    const { status, error } = await server.ask('POST', '/api/servers/register', { key, body });
    return [status, error?.code, error?.message.replaceAll(version, 'VERSION')];
  };
  const absent = await register('8.0.0');
  expect(absent[0]).toBe(403);
  expect(await register('9.0.0')).toEqual(absent);
});

it('a write without a condition does not replace a hidden entity, and is in the audit log', async () => {
  const answers = await answersFor('hidden', {}, {});
  expect(answers.map(({ status, code }) => `${status} ${code}`)).toEqual(ROUTES.map(() => '409 ALREADY_EXISTS'));
  const [last] = await readAudit(server.dir, { limit: 1 });
  expect(last).toMatchObject({ who: 'key:bob', ids: ['skill:/hidden'], result: 'ALREADY_EXISTS' });
});

it('a write that cannot be recorded does not tell a hidden entity from none', async () => {
  const folder = auditFolder(server.dir);
  await rm(folder, { recursive: true });
  await writeFile(folder, '');
  try {
    const absent = await answersFor('absent', {}, {});
    expect(absent.map(({ code }) => code)).toEqual(ROUTES.map(() => 'AUDIT_UNAVAILABLE'));
    expect(await answersFor('hidden', {}, {})).toEqual(absent);
  } finally {
    await rm(folder);
  }
});
