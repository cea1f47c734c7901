import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AccessServer, accessServer } from '../support/access-server.ts';

let server: AccessServer;
let key: string;
beforeAll(async () => {
  server = await accessServer();
  const owner = server.key({ name: 'alice', scopes: ['write'], groups: ['a'] });
  key = server.key({ name: 'bob', scopes: ['write'], groups: ['b'] });
  const body = { name: 'plan', description: 'Plans a launch.', visibility: 'private' };
  await server.ask('PUT', '/api/entities/skill//hidden', { key: owner, body });
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

it('a write without a condition does not replace a hidden entity', async () => {
  const answers = await answersFor('hidden', {}, {});
  expect(answers.map(({ status, code }) => `${status} ${code}`)).toEqual(ROUTES.map(() => '409 ALREADY_EXISTS'));
});
