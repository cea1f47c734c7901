import { expect } from 'vitest';
import { NOT_OFFERED_ROUTES } from '../../src/api/routes/not-offered-routes.ts';
import type { ModelName } from './client-models.ts';
import type { ClientRow } from './client-rows.ts';

/** One request of a command, as the client sends it, and the model that it reads the answer with. */
export interface RecordedRequest {
  readonly row: ClientRow;
  /** The command or the screen. */
  readonly command: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly status: number;
  readonly model: ModelName;
  /** A part of the answer, where the value matters and not only its type. */
  readonly answer?: Readonly<Record<string, unknown>>;
}

const CLOCK_FORM = {
  path: '/currenttime/',
  name: 'Current Time',
  description: 'Tells the time in a time zone.',
  proxy_pass_url: 'https://clock.example.com/',
  tags: 'time,clock',
  overwrite: 'False',
  metadata: '{"team": "platform", "region": {"main": "eu"}}',
  tool_list_json: '[{"name": "now", "description": "The current time."}]',
};

const CARD = {
  protocolVersion: '1.0',
  name: 'Code Reviewer',
  description: 'Reviews code.',
  url: 'https://agents.example.com/reviewer',
  version: '1.2.0',
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'review', name: 'Review', description: 'Reviews a change.', tags: ['code'] }],
  preferredTransport: 'JSONRPC',
  provider: { organization: 'Example', url: 'https://example.com' },
  securitySchemes: {},
  metadata: {},
  path: '/code-reviewer',
  tags: ['code'],
  isEnabled: true,
  numStars: 0,
  license: 'N/A',
  visibility: 'public',
  allowedGroups: [],
  trustLevel: 'verified',
  supportedProtocol: 'a2a',
};

const VIRTUAL = {
  path: '/virtual/dev-tools',
  server_name: 'Dev Tools',
  description: null,
  tool_mappings: [
    {
      tool_name: 'now',
      alias: null,
      backend_server_path: '/currenttime/',
      backend_version: null,
      description_override: null,
    },
  ],
  required_scopes: [],
  tool_scope_overrides: [],
  tags: ['dev'],
  supported_transports: ['streamable-http'],
  is_enabled: true,
};

const get = (row: ClientRow, command: string, path: string, model: ModelName, answer = {}): RecordedRequest => ({
  row,
  command,
  method: 'GET',
  path,
  status: 200,
  model,
  answer,
});
const post = (row: ClientRow, command: string, path: string, model: ModelName, rest: object): RecordedRequest => ({
  row,
  command,
  method: 'POST',
  path,
  status: 200,
  model,
  ...rest,
});

/** In this order, against an empty registry with a model. */
export const RECORDED: readonly RecordedRequest[] = [
  post('CL-2', 'register', '/api/servers/register', 'registered', { form: CLOCK_FORM, status: 201 }),
  get('CL-1', 'list', '/api/servers?limit=20&offset=0', 'serverList', {
    servers: [{ health_status: 'unknown', default_version: 'v1.0.0', registered_by: null, sync_metadata: null }],
  }),
  get('CL-2', 'server-get', '/api/servers/currenttime/', 'server', { license: 'N/A', path: '/currenttime' }),
  get('CL-2', 'server-get', '/api/servers/currenttime', 'server', {
    path: '/currenttime',
    health_error: null,
    versions: [{ version: 'v1.0.0', is_default: true }],
  }),
  post('CL-2', 'toggle', '/api/servers/toggle', 'toggled', {
    form: { path: '/currenttime/', new_state: 'false' },
    answer: { service_path: '/currenttime', new_enabled_state: false },
  }),
  post('CL-2', 'toggle', '/api/servers/toggle', 'toggled', { form: { path: '/currenttime', new_state: 'true' } }),
  get('CL-4', 'healthcheck', '/api/servers/health', 'health', {
    status: 'healthy',
    total_servers: 1,
    servers: [{ path: '/currenttime', status: 'unknown' }],
  }),
  get('CL-5', 'config', '/api/config', 'config', { deployment_mode: 'registry-only' }),
  get('CL-5', 'server-connect-config', '/api/servers/currenttime/connect-config', 'connectConfig', {
    mcpServers: { 'current-time': { type: 'http', url: 'https://clock.example.com/' } },
  }),
  get('CL-5', 'server.json', '/api/servers/currenttime/server.json', 'serverJson', { title: 'Current Time' }),
  post('CL-8', 'agent-register', '/api/agents/register', 'agentRegistered', { json: CARD, status: 201 }),
  get('CL-7', 'agent-list', '/api/agents?limit=20&offset=0', 'agentList', {
    agents: [{ skills: ['Review'], provider: 'Example', streaming: true, trust_level: 'verified' }],
  }),
  get('CL-8', 'agent-get', '/api/agents/code-reviewer', 'agent', {
    provider: { organization: 'Example' },
    skills: [{ id: 'review' }],
    protocol_version: '1.0',
  }),
  post('CL-8', 'agent-search', '/api/search/semantic', 'search', {
    json: { query: 'reviews code', max_results: 10, entity_types: ['a2a_agent'], include_draft: false },
    answer: { agents: [{ path: '/code-reviewer', agent_card: { trust_level: 'verified' } }] },
  }),
  post('CL-8', 'A2A discovery', '/api/agents/discover/semantic?query=reviews+code&max_results=5', 'agentsFound', {
    answer: { agents: [{ path: '/code-reviewer', provider: { organization: 'Example' } }] },
  }),
  post('CL-8', 'agent-health', '/api/agents/code-reviewer/health', 'assetHealth', { answer: { healthy: false } }),
  post('CL-21', 'agent-rate', '/api/agents/code-reviewer/rate', 'rated', { json: { rating: 4 } }),
  get('CL-21', 'agent-get', '/api/agents/code-reviewer', 'agent', { num_stars: 4, numStars: 4 }),
  get('CL-21', 'agent-list', '/api/agents', 'agentList', { agents: [{ num_stars: 4, numStars: 4 }] }),
  post('CL-10', 'skill-register', '/api/skills', 'skill', {
    json: {
      name: 'pdf-forms',
      skill_md_url: 'https://example.com/pdf/SKILL.md',
      description: 'Fills in PDF forms.',
      repository_url: 'https://example.com/pdf',
      tags: ['pdf'],
      target_agents: [],
      visibility: 'public',
      allowed_groups: [],
    },
    status: 201,
    answer: { skill_md_url: 'https://example.com/pdf/SKILL.md', repository: 'https://example.com/pdf' },
  }),
  post('CL-11', 'skill-register --visibility group', '/api/skills', 'skill', {
    json: { name: 'payroll', description: 'Runs the payroll.', visibility: 'group', allowed_groups: [] },
    status: 201,
    answer: { skill_md_url: '' },
  }),
  get('CL-10', 'skill-list', '/api/skills?limit=20&offset=0', 'skillList', { total_count: 2 }),
  get('CL-10', 'skill-get', '/api/skills/pdf-forms', 'skill', { path: '/skills/pdf-forms' }),
  get('CL-25', 'skill-health', '/api/skills/pdf-forms/health', 'assetHealth', { health_status: 'unknown' }),
  get('CL-27', 'web page', '/api/skills/pdf-forms/tools', 'skillTools', { all_available: true, missing_tools: [] }),
  post('CL-12', 'skill-register with its text', '/api/skills', 'skill', {
    json: { content: '---\nname: zip-files\ndescription: Packs files.\n---\n# Zip\n' },
    status: 201,
  }),
  get('CL-12', 'skill-content', '/api/skills/zip-files/content', 'skillContent', { url: '' }),
  get('CL-12', 'skill-content --resource', '/api/skills/zip-files/content?resource=SKILL.md', 'skillContent'),
  {
    ...get('CL-12', 'skill-content --resource', '/api/skills/zip-files/content?resource=scripts/zip.py', 'error'),
    status: 404,
  },
  post('CL-13', 'vs-create', '/api/virtual-servers', 'virtualServer', { json: VIRTUAL, status: 201 }),
  {
    ...post('CL-13', 'vs-update', '/api/virtual-servers/virtual/dev-tools', 'virtualServer', { json: VIRTUAL }),
    method: 'PUT',
  },
  get('CL-2', 'vs-tools', '/api/virtual-servers/virtual/dev-tools/tools', 'tools', {
    tools: [{ name: 'now', description: 'The current time.', available: true }],
  }),
  get('CL-14', 'vs-list', '/api/virtual-servers?limit=100&offset=0', 'virtualServerList', { total: 1 }),
  get('CL-15', 'embeddings-missing', '/api/admin/embeddings/missing', 'missing', { total_missing: 0 }),
  get('CL-15', 'embeddings-stale', '/api/admin/embeddings/stale', 'stale', { total_stale: 0 }),
  post('CL-15', 'embeddings-reindex', '/api/admin/embeddings/reindex', 'reindexed', {
    json: { paths: ['/currenttime', '/gone'] },
    answer: { success: 1, failed: 1, details: [{ status: 'success' }, { status: 'failed', error: 'Not found' }] },
  }),
  post('CL-15', 'embeddings-stale-cleanup', '/api/admin/embeddings/stale/cleanup', 'cleaned', {
    json: { paths: ['/currenttime'] },
    answer: { removed: 0, failed: 0, total: 1 },
  }),
  post('CL-16', 'ard-search', '/api/ard/search', 'ardResults', {
    json: { query: { text: 'time', filter: { type: ['mcp_server'] } }, federation: 'auto', pageSize: 10 },
    answer: { results: [{ displayName: 'Current Time' }] },
  }),
  get('CL-16', 'ard-agents', '/api/ard/agents?orderBy=identifier&pageSize=20&filter=type%3Dskill', 'ardItems', {
    total: 2,
  }),
  get(
    'CL-16',
    'ard-agents',
    '/api/ard/agents?orderBy=identifier&pageSize=20&filter=type%3Dskill&filter=tags%3Dpdf',
    'ardItems',
    { total: 1 },
  ),
  post('CL-17', 'check-duplicates', '/api/servers/check-duplicates', 'duplicates', {
    json: { name: 'Another', proxy_pass_url: 'https://clock.example.com' },
    answer: { has_collision: true, collision_with: [{ path: '/currenttime', entity_type: 'mcp_server' }] },
  }),
  post('CL-17', 'check-duplicates', '/api/virtual-servers/check-duplicates', 'duplicates', {
    json: { name: 'Another', proxy_pass_url: 'https://clock.example.com/' },
    answer: { has_collision: true, collision_with: [{ path: '/currenttime', relevance_score: 1 }] },
  }),
  post('CL-17', 'check-duplicates', '/api/agents/check-duplicates', 'duplicates', {
    json: { name: 'Another', url: 'https://agents.example.com/reviewer', self_path: '/other' },
    answer: { has_collision: true, collision_with: [{ path: '/code-reviewer', entity_type: 'a2a_agent' }] },
  }),
  post('CL-17', 'check-duplicates', '/api/skills/check-duplicates', 'duplicates', {
    json: { name: 'another', skill_md_url: 'https://example.com/pdf/SKILL.md' },
    answer: { has_collision: true, collision_with: [{ path: '/skills/pdf-forms', match_reason: 'same url' }] },
  }),
  post('CL-17', 'check-duplicates', '/api/servers/check-duplicates', 'duplicates', {
    json: { name: 'Time', description: 'Tells the current time in a time zone.' },
    answer: { has_collision: false, advisory_matches: [{ path: '/currenttime', match_reason: 'similar meaning' }] },
  }),
  { ...get('CL-18', 'server-get', '/api/servers/nowhere', 'error'), status: 404 },
  {
    ...post('CL-18', 'search', '/api/search/semantic', 'error', { json: { query: 'x', max_results: 51 } }),
    status: 422,
  },
  get('CL-19', 'list', '/api/servers?metadata_fields=team&metadata_fields=region.main', 'serverList', {
    servers: [{ metadata: { team: 'platform', region: { main: 'eu' } } }],
  }),
  get('CL-19', 'server-get', '/api/servers/currenttime?metadata_fields=team', 'server', {
    metadata: { team: 'platform' },
  }),
  post('CL-20', 'search by tags', '/api/search/semantic', 'search', {
    json: { query: '*', tags: ['pdf'], max_results: 10 },
    answer: { total_skills: 1, skills: [{ path: '/skills/pdf-forms' }] },
  }),
  get('CL-24', 'web page', '/api/auth/me', 'user', { username: 'anonymous' }),
  get('CL-24', 'web page', '/api/auth/csrf-token', 'csrf'),
  get('CL-27', 'web page', '/api/auth/config', 'authConfig', { auth_server_url: '' }),
  get('CL-27', 'web page', '/api/auth/providers', 'authProviders', { providers: [] }),
  post('CL-27', 'web page', '/api/toggle/currenttime', 'toggled', {
    form: { enabled: 'off' },
    answer: { service_path: '/currenttime', new_enabled_state: false },
  }),
  post('CL-27', 'web page', '/api/toggle/currenttime/', 'toggled', { form: { enabled: 'on' } }),
  get('CL-24', 'web page', '/api/config', 'config'),
  get('CL-24', 'web page', '/api/version', 'version', { version: '0' }),
  get('CL-24', 'web page', '/api/stats', 'stats', { registry_stats: { servers: 1, agents: 1, skills: 3 } }),
  get('CL-24', 'web page', '/api/server_details/all', 'serversByPath', { '/currenttime': { num_tools: 1 } }),
  get('CL-24', 'web page', '/api/server_details/currenttime', 'server'),
  get('CL-24', 'web page', '/api/tools/currenttime', 'tools', { tools: [{ name: 'now' }] }),
  get('CL-24', 'web page', '/api/tools/all', 'tools', { num_tools: 1 }),
  post('CL-24', 'web page', '/api/edit/currenttime', 'server', {
    form: { name: 'Current Time', description: 'What time it is.' },
    answer: { description: 'What time it is.', num_tools: 1 },
  }),
  post('CL-24', 'web page', '/api/register', 'registered', {
    form: { path: '/second', name: 'Second', description: 'Another.', proxy_pass_url: 'https://second.example.com' },
    status: 201,
  }),
  post('CL-3', 'register --status stable', '/api/servers/register', 'registered', {
    form: { ...CLOCK_FORM, version: 'v2.0.0', status: 'stable' },
    status: 201,
  }),
  get('CL-24', 'web page', '/health', 'ping'),
  ...NOT_OFFERED_ROUTES.map(({ method, path }) => ({
    ...get('CL-29', 'not offered', path.replace(/\{\w+\*?\}/, 'some/thing'), 'error', {
      error: { code: 'NOT_IMPLEMENTED', message: expect.stringMatching(/^Not offered: .{20}/) },
    }),
    method,
    status: 501,
  })),
];
