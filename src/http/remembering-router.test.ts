import { Hono } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import { expect, it } from 'vitest';
import { RememberingRouter } from './remembering-router.ts';

function appWith(router: RememberingRouter<never> | TrieRouter<never>): Hono {
  const app = new Hono({ router: router as never, strict: false });
  app.use(async (c, next) => {
    await next();
    c.header('seen', c.req.path);
  });
  app.get('/things/:path{.+}', (c) => c.json(c.req.param()));
  app.get('/things/:path{.+/end}', (c) => c.text(`never: ${c.req.path}`));
  app.post('/things', (c) => c.text('posted'));
  return app;
}

it('answers as the router it asks, the first time and again', async () => {
  const [plain, remembering] = [appWith(new TrieRouter()), appWith(new RememberingRouter())];
  const requests = [
    '/things/a',
    '/things/a/b',
    '/things/%C3%A9',
    '/things',
    '/things/',
    '/other',
    `/things/${'x'.repeat(300)}`,
  ];
  for (const path of [...requests, ...requests.toReversed(), ...requests]) {
    for (const method of ['GET', 'POST']) {
      const [expected, got] = [await plain.request(path, { method }), await remembering.request(path, { method })];
      expect([got.status, got.headers.get('seen'), await got.text()]).toEqual([
        expected.status,
        expected.headers.get('seen'),
        await expected.text(),
      ]);
    }
  }
});

it('keeps its answers right beyond what it remembers, and after a new route', () => {
  const router = new RememberingRouter<string>();
  router.add('GET', '/:id', 'first');
  const idOf = (path: string) => router.match('GET', path)[0].map(([handler, params]) => [handler, params]);
  for (let n = 0; n < 2500; n++) expect(idOf(`/p${n % 1300}`)).toEqual([['first', { id: `p${n % 1300}` }]]);
  router.add('GET', '/p1', 'second');
  expect(idOf('/p1').map(([handler]) => handler)).toEqual(['first', 'second']);
});
