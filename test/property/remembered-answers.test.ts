import fc from 'fast-check';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/engine-fixtures.ts';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';

type Write = readonly [method: string, path: string, body?: object];

const card = (name: string) => ({ name, path: '/helper', url: 'https://helper.example.com', skills: [] });
const server = (path: string, version: string) => ({
  ...{ path, version, name: `Server ${path}`, description: `Version ${version}.` },
  ...{ proxy_pass_url: `https://example.com${path}/${version}`, tool_list: [{ name: 'run', description: version }] },
});
const paths = fc.constantFrom('/a', '/b');
const versions = fc.constantFrom('1', '2', '3');
const stars = fc.integer({ min: 1, max: 5 });
const users = fc.constantFrom('ada', 'bob');

const write: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(paths, versions).map(([path, at]): Write => ['POST', '/api/servers/register', server(path, at)]),
  fc
    .tuple(paths, stars, users)
    .map(([path, rating, user]): Write => ['POST', `/api/servers${path}/rate`, { rating, user }]),
  fc.tuple(paths, fc.string()).map(([path, description]): Write => ['PATCH', `/api/servers${path}`, { description }]),
  fc
    .tuple(paths, versions)
    .map(([path, version]): Write => ['PUT', `/api/servers${path}/versions/default`, { version }]),
  fc.tuple(paths, versions).map(([path, version]): Write => ['DELETE', `/api/servers${path}/versions/${version}`]),
  paths.map((path): Write => ['DELETE', `/api/servers${path}`]),
  fc.constantFrom('Helper', 'Aide').map((name): Write => ['POST', '/api/agents/register', card(name)]),
  stars.map((rating): Write => ['POST', '/api/agents/helper/rate', { rating }]),
);

const READS = [
  ...['/api/servers', '/api/servers?include_tools=false', '/api/servers/a', '/api/servers/b', '/api/servers/a/rating'],
  ...['/api/servers/a?metadata_fields=team', '/api/servers/b/versions', '/api/agents', '/api/agents/helper'],
  ...['/api/entities', '/api/entities?type=mcp_server', '/api/entities/mcp_server//a'],
];

const SEARCHES = [
  ...[{ query: 'server' }, { query: 'version 1', explain: true }, { query: 'helper', max_results: 2 }],
  { query: 'run', entity_types: ['tool'] },
];

/** Two registries are not written in the same millisecond, and the tag of an entity depends on its time. */
const withoutTimes = (text: string): string =>
  text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then').replaceAll(/"etag":"[^"]*"/g, '"etag":""');

async function readAll({ url }: ServedRegistry) {
  const posted = SEARCHES.map((body) => {
    const headers = { 'Content-Type': 'application/json' };
    return ['/api/search/semantic', { method: 'POST', headers, body: JSON.stringify(body) }] as const;
  });
  const answers = [...READS.map((path) => [path, {}] as const), ...posted].map(async ([path, init]) => {
    const answer = await fetch(url + path, init);
    return { path, status: answer.status, tag: answer.headers.get('etag'), text: await answer.text() };
  });
  return Promise.all(answers);
}

/** The engine in memory gives new objects at each read, so nothing that is made from them is remembered. */
it('answers what it remembers as if it were read again, after any writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 4, maxLength: 12 }), async (writes) => {
      const folder = temporaryFolder();
      const plain = await serveRegistry();
      const remembering = await serveRegistry({}, { engine: 'embedded', data_dir: folder.path });
      try {
        const tags = new Map<string, string>();
        for (const [method, path, body] of writes) {
          const [expected, done] = [await plain.send(method, path, body), await remembering.send(method, path, body)];
          expect([method, path, done.status]).toEqual([method, path, expected.status]);
          const [wanted, first, again] = [await readAll(plain), await readAll(remembering), await readAll(remembering)];
          expect(again).toEqual(first);
          for (const [at, { path, status, text, tag }] of first.entries()) {
            expect([path, status, withoutTimes(text)]).toEqual([
              path,
              wanted[at]!.status,
              withoutTimes(wanted[at]!.text),
            ]);
            if (tag === null) continue;
            expect([path, tags.get(`${path} ${tag}`) ?? text]).toEqual([path, text]);
            tags.set(`${path} ${tag}`, text);
          }
        }
      } finally {
        await plain.close();
        await remembering.close();
        folder.remove();
      }
    }),
    { numRuns: 6 },
  );
}, 120_000);
