import fc from 'fast-check';
import { maybe, type Operation, onOne, operation, queryText } from './operation.ts';
import { phrase, word } from './world.ts';

const get = (url: string) => operation('GET', url, ({ http }) => http('GET', url));
const post = (url: string, body: unknown) => operation(`POST ${url}`, body, ({ http }) => http('POST', url, body));
const encoded = (where: string) => encodeURIComponent(where.slice(1));

/** What others have specified: the official registry, ARD and A2A. */
export const standards: readonly fc.Arbitrary<Operation>[] = [
  fc
    .tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom('', 'acme', 'p1'))
    .map(([limit, text]) => `/v0.1/servers?limit=${limit}&search=${encodeURIComponent(text)}`)
    .map((url) =>
      operation('v0.1 pages', url, async ({ http }) => {
        const first = (await http('GET', url)) as { body: { metadata?: { nextCursor?: string } } };
        const cursor = first.body.metadata?.nextCursor;
        return [first, cursor === undefined ? null : await http('GET', `${url}&cursor=${encodeURIComponent(cursor)}`)];
      }),
    ),
  fc.nat(3).map((n) =>
    operation('v0.1 server', n, async ({ http }) => {
      const listed = (await http('GET', '/v0.1/servers')) as { body: { servers: { server: { name: string } }[] } };
      const name = encodeURIComponent(listed.body.servers[n]?.server.name ?? 'localhost/hidden/1');
      return [
        await http('GET', `/v0.1/servers/${name}/versions`),
        await http('GET', `/v0.1/servers/${name}/versions/latest`),
      ];
    }),
  ),
  queryText.map((text) => post('/ard/search', { query: { text }, pageSize: 5 })),
  queryText.map((text) => post('/api/ard/search', { query: { text } })),
  fc
    .tuple(maybe(word), fc.constantFrom('type', 'tags', 'publisher'))
    .map(([text, field]) =>
      post('/ard/explore', { query: text === undefined ? {} : { text }, resultType: { facets: [{ field }] } }),
    ),
  fc.constantFrom('', '?pageSize=3', '?orderBy=displayName').map((query) => get(`/ard/agents${query}`)),
  fc.nat(5).map((n) =>
    operation('ARD entry', n, async ({ http }) => {
      const listed = (await http('GET', '/ard/agents')) as { body: { items: { identifier: string }[] } };
      const identifier = encodeURIComponent(listed.body.items[n]?.identifier ?? 'urn:air:127.0.0.1:hidden:1');
      return [await http('GET', `/ard/agents/${identifier}`), await http('GET', `/ard/artifacts/${identifier}`)];
    }),
  ),
  fc.constantFrom('/.well-known/ard.json', '/.well-known/mcp/catalog.json', '/.well-known/agent-card.json').map(get),
  queryText.map((text) =>
    post('/a2a', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: { parts: [{ text }] } } }),
  ),
];

export const rest: readonly fc.Arbitrary<Operation>[] = [
  fc
    .constantFrom(
      ...[
        '/api/servers',
        '/api/servers/health',
        '/api/agents',
        '/api/skills',
        '/api/virtual-servers',
        '/api/tool-catalog',
      ],
      ...['/api/stats', '/api/health', '/api/search/tags', '/api/sources', '/api/drift', '/api/memories', '/health'],
      ...['/api/memories/tags', '/api/memory:counts', '/api/admin/embeddings/missing', '/api/entities?limit=3'],
    )
    .map(get),
  fc
    .tuple(fc.nat(99), fc.constantFrom('servers', 'agents', 'skills', 'virtual-servers', 'tools', 'server_details'))
    .map(([n, kind]) =>
      operation(`GET ${kind}`, n, ({ http, idAt }) => http('GET', `/api/${kind}/${encoded(idAt(n).path)}`)),
    ),
  fc
    .tuple(fc.nat(99), fc.constantFrom('tools', 'connect-config', 'server.json', 'versions', 'rating'))
    .map(([n, what]) =>
      operation(`GET server ${what}`, n, ({ http, idAt }) =>
        http('GET', `/api/servers/${encoded(idAt(n).path)}/${what}`),
      ),
    ),
  queryText.map((query) => post('/api/search/tools', { query, format: 'openai' })),
  queryText.map((query) => post('/api/search/semantic', { query })),
  phrase(2).map((query) => post('/api/search', { query })),
  phrase(3).map((query) =>
    operation('POST agents by meaning', query, ({ http }) =>
      http('POST', `/api/agents/discover/semantic?query=${encodeURIComponent(query)}`, {}),
    ),
  ),
];

const tool = (name: string, input: unknown) => operation(`mcp ${name}`, input, ({ mcp }) => mcp(name, input));
export const mcp: readonly fc.Arbitrary<Operation>[] = [
  fc
    .tuple(queryText, maybe(fc.constantFrom('brief', 'schema')))
    .map(([query, detail]) => tool('search_tools', detail === undefined ? { query } : { query, detail })),
  queryText.map((query) => tool('search_registry', { query })),
  phrase(3).map((text) => tool('intelligent_tool_finder', { query: text })),
  phrase(3).map((query) => tool('recommend', { query })),
  onOne('mcp get_details', ({ mcp }, { path }) => mcp('get_details', { path })),
  onOne('mcp get_details of a tool', ({ mcp }, { path }) => mcp('get_details', { path: `${path}#create_issue` })),
  onOne('mcp get_skill_content', ({ mcp }, { path }) => mcp('get_skill_content', { skill_name: path })),
  fc.constantFrom('list_skills', 'list_services', 'list_agents', 'healthcheck').map((name) => tool(name, {})),
  phrase(2).map((query) => tool('search_memories', { query })),
  fc.constant(operation('mcp summary', [], ({ summary }) => summary())),
];
