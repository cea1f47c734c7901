import fc from 'fast-check';
import { entityUrl, maybe, type Operation, onOne, operation, queryText } from './operation.ts';
import { UPLOADS } from './world-contents.ts';
import { path, phrase, TAGS, word } from './world-words.ts';

const get = (url: string) => operation('GET', url, ({ http }) => http('GET', url));
const post = (url: string, body: unknown) => operation(`POST ${url}`, body, ({ http }) => http('POST', url, body));

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
  fc
    .constantFrom(
      ...['/.well-known/ard.json', '/.well-known/mcp/catalog.json', '/.well-known/agent-card.json'],
      ...[
        '/.well-known/ai-catalog.json',
        '/mcp/server-card',
        '/v0.1/health',
        '/api/ard/agents',
        '/api/ard/agents?filter=tags%3Dmerger',
      ],
      ...['/v0.1/servers?include_deleted=true', '/v0.1/servers?updated_since=2001-01-01T00:00:05Z'],
    )
    .map(get),
  queryText.map((text) =>
    post('/a2a', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: { parts: [{ text }] } } }),
  ),
];

/** Routes of the memory service, which have no row in the contract, and requests with a condition. */
export const rest: readonly fc.Arbitrary<Operation>[] = [
  fc
    .constantFrom(
      ...['/api/memories', '/api/memories/tags', '/api/tags', '/api/types', '/api/health/detailed', '/api/conflicts'],
      ...['/api/manage/untagged/count', '/api/manage/tags/stats', '/health', '/ready', '/api/admin/embeddings/missing'],
    )
    .map(get),
  phrase(2).map((query) => post('/api/search', { query })),
  fc.constantFrom(...TAGS).map((tag) => post('/api/search/by-tag', { tags: [tag] })),
  fc.constant(post('/api/search/by-time', { query: 'last year' })),
  fc
    .constantFrom('history', ...UPLOADS.flatMap((id) => [`status/${id}`, `search-content/${id}`]))
    .map((what) => get(`/api/documents/${what}`)),
  fc
    .tuple(fc.nat(99), fc.constantFrom('/api/memories/', '/api/search/similar/', '/api/graph/associations/'))
    .map(([n, route]) => operation(`GET ${route}`, n, ({ http, hashAt }) => http('GET', `${route}${hashAt(n)}`))),
  fc
    .tuple(fc.nat(99), fc.constantFrom('*', '"stale"'))
    .map(([n, tag]) =>
      operation('GET if none matches', [n, tag], ({ http, idAt }) =>
        http('GET', entityUrl(idAt(n)), undefined, { 'if-none-match': tag }),
      ),
    ),
];

const rpc = (path: string, method: string, params: object = {}) =>
  operation(`POST ${path} ${method}`, params, ({ http }) =>
    http('POST', path, { jsonrpc: '2.0', id: 1, method, params }),
  );
const call = (path: string, name: string, args: object) => rpc(path, 'tools/call', { name, arguments: args });

/** MCP as its clients ask for it, at every address. */
export const mcpRequests: readonly fc.Arbitrary<Operation>[] = [
  fc
    .tuple(
      fc.constantFrom('/mcp', '/mcp/registry', '/mcp/memory', '/mcp/recommend', '/mcp/docs/c0', '/mcp/docs/c1'),
      fc.constantFrom('tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'),
    )
    .map(([path, method]) => rpc(path, method)),
  path.map((where) => rpc('/mcp', 'resources/read', { uri: `skill:/${where}/SKILL.md` })),
  phrase(2).map((query) => call('/mcp', 'search_documents', { query })),
  phrase(3).map((query) => call('/mcp/recommend', 'search_tools', { query })),
  phrase(3).map((use_case) => call('/mcp/recommend', 'get_stack', { use_case })),
  fc.tuple(path, path).map(([a, b]) => call('/mcp/recommend', 'compare_tools', { tools: [a, b] })),
  fc.tuple(path, path).map(([a, b]) => call('/mcp/recommend', 'check_compatibility', { tool_a: a, tool_b: b })),
  phrase(2).map((query) => call('/mcp/memory', 'memory_search', { query })),
  fc
    .constantFrom('memory_list', 'memory_stats', 'memory_health', 'memory_conflicts')
    .map((name) => call('/mcp/memory', name, {})),
  phrase(2).map((query) => call('/mcp/memory', 'mistake_note_search', { query })),
  phrase(2).map((query) => call('/mcp/docs/c0', 'search', { query })),
  fc.constantFrom('list_sources', 'stats').map((name) => call('/mcp/docs/c1', name, {})),
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
  fc
    .nat(99)
    .map((n) =>
      operation('mcp get_skill_content', n, ({ mcp, pathOf }) =>
        mcp('get_skill_content', { skill_name: pathOf('skill', n) }),
      ),
    ),
  fc.constantFrom('list_skills', 'list_services', 'list_agents', 'healthcheck').map((name) => tool(name, {})),
  phrase(2).map((query) => tool('search_memories', { query })),
  fc.constant(operation('mcp summary', [], ({ summary }) => summary())),
];
