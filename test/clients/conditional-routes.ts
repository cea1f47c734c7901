/** A write of the API, what it changes, and how it is sent. `{hash}` and `{other}` are the hashes of two memories. */
export interface ConditionalRoute {
  /** The entity that it changes, as `type//path`. Absent: it only adds entities. */
  readonly target?: string;
  /** The path that is asked, if it differs from that of the route. */
  readonly path?: string;
  readonly body?: unknown;
  /** A request before it, that needs no condition. */
  readonly after?: readonly [method: string, path: string, body: unknown];
}

const SERVER = 'mcp_server//clock';
const AGENT = 'a2a_agent//agent';
const SKILL = 'skill//skills/zip';
const VIRTUAL = 'virtual_server//virtual/dev';
const MEMORY = 'memory//{hash}';
const COLLECTION = 'document//collections/guides';

const server = { name: 'Clock', description: 'new', proxy_pass_url: 'https://clock.example.com' };
const registration = { ...server, path: '/clock' };
const agent = { name: 'Agent', description: 'new', url: 'https://agent.example.com' };
const skill = { name: 'zip', description: 'new' };
const entity = { type: 'mcp_server', path: '/clock', name: 'Clock', description: 'new' };
const supersede = { winner_hash: '{other}', loser_hash: '{hash}' };
const superseded = ['POST', '/api/memory:supersede', { content_hash: '{hash}', by: '{other}' }] as const;

/** Every route that changes entities: of the API by its line in /openapi.json, then those of the memory service. */
export const CONDITIONAL_ROUTES: Readonly<Record<string, ConditionalRoute>> = {
  'POST /api/entities': { target: SERVER, body: entity },
  'POST /api/entities/{type}/{path}/rate': { target: SERVER, path: `${SERVER}/rate`, body: { rating: 3 } },
  'PUT /api/entities/{type}/{path}': { target: SERVER, path: SERVER, body: entity },
  'PATCH /api/entities/{type}/{path}': { target: SERVER, path: SERVER, body: { description: 'new' } },
  'DELETE /api/entities/{type}/{path}': { target: SERVER, path: SERVER },
  'POST /api/entities:batch': { target: SERVER, body: { entities: [entity] } },
  'POST /api/entities:register': { target: SERVER, body: entity },
  'DELETE /api/drift/{type}/{path}': { target: 'mcp_server//drifted', path: '/api/drift/mcp_server//drifted' },
  'PUT /api/reviews/{type}/{path}': {
    target: SERVER,
    path: '/api/reviews/mcp_server//clock',
    body: { decision: 'approved' },
  },
  'POST /api/servers/register': { target: SERVER, body: registration },
  'POST /api/servers/toggle': { target: SERVER, body: { path: '/clock', new_state: false } },
  'POST /api/servers/remove': { target: SERVER, body: { path: '/clock' } },
  'PUT /api/servers/{path}/versions/default': { target: SERVER, body: { version: '2' } },
  'DELETE /api/servers/{path}/versions/{version}': { target: SERVER, path: '/api/servers/clock/versions/2' },
  'POST /api/servers/{path}/rate': { target: SERVER, body: { rating: 3 } },
  'PUT /api/servers/{path}': { target: SERVER, body: server },
  'PATCH /api/servers/{path}': { target: SERVER, body: { description: 'new' } },
  'DELETE /api/servers/{path}': { target: SERVER },
  'POST /api/register': { target: SERVER, body: registration },
  'POST /api/toggle/{path}': { target: SERVER, path: '/api/toggle/clock', body: { enabled: false } },
  'POST /api/edit/{path}': { target: SERVER, path: '/api/edit/clock', body: { description: 'new' } },
  'POST /api/agents/register': {
    target: AGENT,
    path: '/api/agents/register?overwrite=true',
    body: { ...agent, path: '/agent' },
  },
  'POST /api/agents/{path}/pull-card': { target: AGENT, path: '/api/agents/agent/pull-card?dry_run=false' },
  'POST /api/agents/{path}/toggle': { target: AGENT, path: '/api/agents/agent/toggle?enabled=false' },
  'POST /api/agents/{path}/rate': { target: AGENT, body: { rating: 3 } },
  'PUT /api/agents/{path}': { target: AGENT, body: agent },
  'PATCH /api/agents/{path}': { target: AGENT, body: { description: 'new' } },
  'DELETE /api/agents/{path}': { target: AGENT },
  'POST /api/skills': { target: SKILL, body: { ...skill, overwrite: true } },
  'POST /api/skills/{path}/toggle': { target: SKILL, body: { enabled: false } },
  'POST /api/skills/{path}/rate': { target: SKILL, body: { rating: 3 } },
  'PUT /api/skills/{path}': { target: SKILL, body: skill },
  'PATCH /api/skills/{path}': { target: SKILL, body: { description: 'new' } },
  'DELETE /api/skills/{path}': { target: SKILL },
  'POST /api/virtual-servers': {
    target: VIRTUAL,
    body: { server_name: 'Dev', path: '/virtual/dev', description: 'new', overwrite: true },
  },
  'POST /api/virtual-servers/{path}/toggle': { target: VIRTUAL, body: { enabled: false } },
  'POST /api/virtual-servers/{path}/rate': { target: VIRTUAL, body: { rating: 3 } },
  'PUT /api/virtual-servers/{path}': { target: VIRTUAL, body: { server_name: 'Dev', description: 'new' } },
  'PATCH /api/virtual-servers/{path}': { target: VIRTUAL, body: { description: 'new' } },
  'DELETE /api/virtual-servers/{path}': { target: VIRTUAL },
  'POST /api/memory:store': { target: MEMORY, body: { content: 'Tea is at five.', supersedes: '{hash}' } },
  'POST /api/memory:session': { body: { turns: [{ role: 'user', content: 'Tea is at five.' }] } },
  'POST /api/memory:update': { target: MEMORY, body: { content_hash: '{hash}', changes: { tags: ['new'] } } },
  'POST /api/memory:supersede': {
    target: MEMORY,
    body: { content_hash: '{hash}', by: '{other}' },
  },
  'POST /api/memory:undo-supersede': {
    target: MEMORY,
    body: { content_hash: '{hash}' },
    after: superseded,
  },
  'POST /api/memory:forget': { target: MEMORY, body: { content_hash: '{hash}' } },
  'POST /api/memory:batch': { body: { memories: [{ content: 'Tea is at five.' }] } },
  'POST /api/collections': { body: { name: 'new' } },
  'POST /api/collections/{name}/files:batch': { target: COLLECTION, body: { scanned: true } },
  'PATCH /api/collections/{name}': { target: COLLECTION, body: { exclude: ['*.tmp'] } },
  'DELETE /api/collections/{name}': { target: COLLECTION },
  'POST /api/memories': { body: { content: 'Tea is at five.' } },
  'PUT /api/memories/{hash}': { target: MEMORY, body: { tags: ['new'] } },
  'PATCH /api/memories/{hash}': { target: MEMORY, body: { tags: ['new'] } },
  'DELETE /api/memories/{hash}': { target: MEMORY },
  'POST /api/sessions': { body: { turns: [{ role: 'user', content: 'Tea is at five.' }] } },
  'POST /api/graph/associations': { target: MEMORY, body: { source_hash: '{hash}', target_hash: '{other}' } },
  'POST /api/conflicts/resolve': { target: MEMORY, body: supersede },
  'POST /api/manage/bulk-delete': { target: MEMORY, body: { tags: ['first'] } },
};

/** Writes without a condition, and why. */
export const UNCONDITIONAL_ROUTES: Readonly<Record<string, string>> = {
  'POST /api/observations': 'A reading of a source: what its entities keep has rules of its own.',
  'POST /api/call/stop': 'It ends connections to servers, and changes no entity.',
  'POST /api/admin/keys': 'A key is no entity.',
  'DELETE /api/admin/keys/{id}': 'A key is no entity.',
  'POST /api/examples:load': 'It adds the entities of the example catalog that are not there.',
  'POST /api/recommend/outcome': 'It changes edges of the graph.',
  'POST /api/graph/edges': 'It changes edges of the graph.',
  'POST /api/graph/edges:delete': 'It changes edges of the graph.',
  'POST /api/refresh/{path}': 'It reads a server; what it finds is stored on top of what is there then.',
  'POST /api/admin/embeddings/stale/cleanup': 'It deletes vectors.',
  'POST /api/admin/embeddings/reindex': 'It computes vectors.',
  'POST /api/manage/cleanup-duplicates': 'It changes nothing: no duplicate is ever stored.',
  'POST /api/documents/upload': 'A file is several memories, without a tag as a whole.',
  'POST /api/documents/batch-upload': 'Files are several memories, without a tag as a whole.',
  'DELETE /api/documents/remove/{upload_id}': 'An upload is several memories, without a tag as a whole.',
  'DELETE /api/documents/remove-by-tags': 'It removes several memories, without a tag as a whole.',
  'POST /api/agents/batch': 'Each operation of the batch has the condition: see the test of batches.',
};
