import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contract } from '../../src/api/contract.ts';
import { OPERATION_NAMES } from '../../src/api/routes.ts';
import { COMMANDS, type CommandInfo } from '../../src/cli/command-table.ts';
import * as client from '../../src/client/index.ts';
import { SETTINGS } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import * as library from '../../src/index.ts';
import { MCP_TOOLS } from '../../src/mcp/tools/tools.ts';
import { ENTITY_TYPES } from '../../src/model/entity.ts';
import { ERROR_CODES } from '../../src/model/errors.ts';
import * as search from '../../src/search/index.ts';
import { memoryRegistry } from './memory-registry.ts';

/** What others build on. A change here is a change for them: make it on purpose, and say so in the CHANGELOG. */
describe('the surface', () => {
  it('has these operations', () => {
    expect(OPERATION_NAMES.map((name) => `${name}: ${contract[name].method} ${contract[name].path}`)).toEqual([
      'search: POST /api/search/semantic',
      'searchTools: POST /api/search/tools',
      'searchTags: GET /api/search/tags',
      'findSkills: POST /api/search/skills',
      'findAgents: POST /api/search/agents',
      'listEntities: GET /api/entities',
      'addEntity: POST /api/entities',
      'rateEntity: POST /api/entities/{type}/{path*}/rate',
      'getEntityRating: GET /api/entities/{type}/{path*}/rating',
      'getEntity: GET /api/entities/{type}/{path*}',
      'putEntity: PUT /api/entities/{type}/{path*}',
      'patchEntity: PATCH /api/entities/{type}/{path*}',
      'deleteEntity: DELETE /api/entities/{type}/{path*}',
      'putEntities: POST /api/entities:batch',
      'registerEntity: POST /api/entities:register',
      'queryEntities: POST /api/entities:query',
      'findDuplicates: POST /api/entities:duplicates',
      'observe: POST /api/observations',
      'listSources: GET /api/sources',
      'listDrift: GET /api/drift',
      'acceptDrift: DELETE /api/drift/{type}/{path*}',
      'registerServer: POST /api/servers/register',
      'toggleServer: POST /api/servers/toggle',
      'removeServer: POST /api/servers/remove',
      'checkServerDuplicates: POST /api/servers/check-duplicates',
      'listServerHealth: GET /api/servers/health',
      'listMcpServers: GET /api/servers',
      'listServerTools: GET /api/servers/{path*}/tools',
      'getConnectConfig: GET /api/servers/{path*}/connect-config',
      'getServerJson: GET /api/servers/{path*}/server.json',
      'rateServer: POST /api/servers/{path*}/rate',
      'getServerRating: GET /api/servers/{path*}/rating',
      'getServer: GET /api/servers/{path*}',
      'putServer: PUT /api/servers/{path*}',
      'patchServer: PATCH /api/servers/{path*}',
      'deleteServer: DELETE /api/servers/{path*}',
      'registerAgent: POST /api/agents/register',
      'checkAgentDuplicates: POST /api/agents/check-duplicates',
      'discoverAgents: POST /api/agents/discover',
      'discoverAgentsByMeaning: POST /api/agents/discover/semantic',
      'submitAgentBatch: POST /api/agents/batch',
      'getAgentBatch: GET /api/agents/batch/{job_id}',
      'listAgents: GET /api/agents',
      'toggleAgent: POST /api/agents/{path*}/toggle',
      'rateAgent: POST /api/agents/{path*}/rate',
      'getAgentRating: GET /api/agents/{path*}/rating',
      'getAgent: GET /api/agents/{path*}',
      'putAgent: PUT /api/agents/{path*}',
      'patchAgent: PATCH /api/agents/{path*}',
      'deleteAgent: DELETE /api/agents/{path*}',
      'registerSkill: POST /api/skills',
      'parseSkillMd: POST /api/skills/parse-skill-md',
      'checkSkillDuplicates: POST /api/skills/check-duplicates',
      'searchSkills: GET /api/skills/search',
      'listSkills: GET /api/skills',
      'getSkillContent: GET /api/skills/{path*}/content',
      'toggleSkill: POST /api/skills/{path*}/toggle',
      'rateSkill: POST /api/skills/{path*}/rate',
      'getSkillRating: GET /api/skills/{path*}/rating',
      'getSkill: GET /api/skills/{path*}',
      'putSkill: PUT /api/skills/{path*}',
      'patchSkill: PATCH /api/skills/{path*}',
      'deleteSkill: DELETE /api/skills/{path*}',
      'createVirtualServer: POST /api/virtual-servers',
      'checkVirtualServerDuplicates: POST /api/virtual-servers/check-duplicates',
      'listVirtualServers: GET /api/virtual-servers',
      'listVirtualServerTools: GET /api/virtual-servers/{path*}/tools',
      'toggleVirtualServer: POST /api/virtual-servers/{path*}/toggle',
      'rateVirtualServer: POST /api/virtual-servers/{path*}/rate',
      'getVirtualServerRating: GET /api/virtual-servers/{path*}/rating',
      'getVirtualServer: GET /api/virtual-servers/{path*}',
      'putVirtualServer: PUT /api/virtual-servers/{path*}',
      'patchVirtualServer: PATCH /api/virtual-servers/{path*}',
      'deleteVirtualServer: DELETE /api/virtual-servers/{path*}',
      'listToolCatalog: GET /api/tool-catalog',
      'missingVectors: GET /api/admin/embeddings/missing',
      'staleVectors: GET /api/admin/embeddings/stale',
      'cleanUpStaleVectors: POST /api/admin/embeddings/stale/cleanup',
      'reindex: POST /api/admin/embeddings/reindex',
      'getUser: GET /api/auth/me',
      'getCsrfToken: GET /api/auth/csrf-token',
      'getConfig: GET /api/config',
      'getVersion: GET /api/version',
      'getStats: GET /api/stats',
      'getServerDetails: GET /api/server_details/{path*}',
      'getServerTools: GET /api/tools/{path*}',
      'editServer: POST /api/edit/{path*}',
      'registerServerByForm: POST /api/register',
      'ping: GET /health',
      'health: GET /api/health',
      'openapi: GET /openapi.json',
    ]);
  });

  it('serves these routes', async () => {
    const logger = { info() {}, warn() {}, error() {} };
    const app = createApp({
      registry: await memoryRegistry(),
      version: '0',
      logger,
      bodyLimitBytes: 1,
      logQueryText: false,
      loopbackOnly: true,
    });
    const routes = app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`);
    expect(routes).toEqual([
      'POST /api/search/semantic',
      'POST /api/search/tools',
      'GET /api/search/tags',
      'POST /api/search/skills',
      'POST /api/search/agents',
      'GET /api/entities',
      'POST /api/entities',
      'POST /api/entities/:type/:path{.+/rate}',
      'GET /api/entities/:type/:path{.+/rating}',
      'GET /api/entities/:type/:path{.+}',
      'PUT /api/entities/:type/:path{.+}',
      'PATCH /api/entities/:type/:path{.+}',
      'DELETE /api/entities/:type/:path{.+}',
      'POST /api/:_{entities:batch}',
      'POST /api/:_{entities:register}',
      'POST /api/:_{entities:query}',
      'POST /api/:_{entities:duplicates}',
      'POST /api/observations',
      'GET /api/sources',
      'GET /api/drift',
      'DELETE /api/drift/:type/:path{.+}',
      'POST /api/servers/register',
      'POST /api/servers/toggle',
      'POST /api/servers/remove',
      'POST /api/servers/check-duplicates',
      'GET /api/servers/health',
      'GET /api/servers',
      'GET /api/servers/:path{.+/tools}',
      'GET /api/servers/:path{.+/connect-config}',
      'GET /api/servers/:path{.+/server.json}',
      'POST /api/servers/:path{.+/rate}',
      'GET /api/servers/:path{.+/rating}',
      'GET /api/servers/:path{.+}',
      'PUT /api/servers/:path{.+}',
      'PATCH /api/servers/:path{.+}',
      'DELETE /api/servers/:path{.+}',
      'POST /api/agents/register',
      'POST /api/agents/check-duplicates',
      'POST /api/agents/discover',
      'POST /api/agents/discover/semantic',
      'POST /api/agents/batch',
      'GET /api/agents/batch/:job_id',
      'GET /api/agents',
      'POST /api/agents/:path{.+/toggle}',
      'POST /api/agents/:path{.+/rate}',
      'GET /api/agents/:path{.+/rating}',
      'GET /api/agents/:path{.+}',
      'PUT /api/agents/:path{.+}',
      'PATCH /api/agents/:path{.+}',
      'DELETE /api/agents/:path{.+}',
      'POST /api/skills',
      'POST /api/skills/parse-skill-md',
      'POST /api/skills/check-duplicates',
      'GET /api/skills/search',
      'GET /api/skills',
      'GET /api/skills/:path{.+/content}',
      'POST /api/skills/:path{.+/toggle}',
      'POST /api/skills/:path{.+/rate}',
      'GET /api/skills/:path{.+/rating}',
      'GET /api/skills/:path{.+}',
      'PUT /api/skills/:path{.+}',
      'PATCH /api/skills/:path{.+}',
      'DELETE /api/skills/:path{.+}',
      'POST /api/virtual-servers',
      'POST /api/virtual-servers/check-duplicates',
      'GET /api/virtual-servers',
      'GET /api/virtual-servers/:path{.+/tools}',
      'POST /api/virtual-servers/:path{.+/toggle}',
      'POST /api/virtual-servers/:path{.+/rate}',
      'GET /api/virtual-servers/:path{.+/rating}',
      'GET /api/virtual-servers/:path{.+}',
      'PUT /api/virtual-servers/:path{.+}',
      'PATCH /api/virtual-servers/:path{.+}',
      'DELETE /api/virtual-servers/:path{.+}',
      'GET /api/tool-catalog',
      'GET /api/admin/embeddings/missing',
      'GET /api/admin/embeddings/stale',
      'POST /api/admin/embeddings/stale/cleanup',
      'POST /api/admin/embeddings/reindex',
      'GET /api/auth/me',
      'GET /api/auth/csrf-token',
      'GET /api/config',
      'GET /api/version',
      'GET /api/stats',
      'GET /api/server_details/:path{.+}',
      'GET /api/tools/:path{.+}',
      'POST /api/edit/:path{.+}',
      'POST /api/register',
      'GET /health',
      'GET /api/health',
      'GET /openapi.json',
      'GET /v0.1/servers',
      'GET /v0.1/servers/:name/versions',
      'GET /v0.1/servers/:name/versions/:version',
      'POST /ard/search',
      'POST /ard/explore',
      'GET /ard/agents',
      'GET /ard/agents/:identifier',
      'GET /ard/artifacts/:identifier',
      'POST /api/ard/search',
      'GET /api/ard/agents',
      'GET /.well-known/ard.json',
      'GET /.well-known/mcp/catalog.json',
      'GET /mcp/server-card',
      'GET /.well-known/agent-card.json',
      'POST /a2a',
      'POST /v0.1/publish',
      'PUT /v0.1/servers/:name/versions/:version',
      'DELETE /v0.1/servers/:name/versions/:version',
      'PATCH /v0.1/servers/:name/status',
      'PATCH /v0.1/servers/:name/versions/:version/status',
      'POST /mcp',
      'GET /',
    ]);
  });

  it('has these commands and flags', () => {
    const lines = COMMANDS.map(({ name, aliases = [], args, options }: CommandInfo) =>
      [[name, ...aliases].join('|'), ...args, ...options.map(({ flags }) => flags)].join(' '),
    );
    expect(lines).toEqual([
      'serve --port <n> --host <address> --example --log-level <level> --data <dir>',
      'search [query...] --type <type> --tag <tag> --limit <n> --offset <n> --min-confidence <n> --facets <fields> --preset <name> --explain --include-draft --include-deprecated --include-disabled --drifted --json --data <dir>',
      'list [type] --tag <tag> --status <status> --query <text> --limit <n> --json --data <dir>',
      'tags --limit <n> --json --data <dir>',
      'mcp --log-level <level> --data <dir>',
      'import <file...> --lexical --strict --json --data <dir>',
      'export --type <type> --out <file> --json --data <dir>',
      'add [what...] --kind <kind> --name <name> --env <name> --header <header> --timeout <seconds> --replace --dry-run --lexical --strict --json --data <dir>',
      'refresh [what...] --timeout <seconds> --trust --lexical --strict --json --data <dir>',
      'drift [entity...] --accept --json --data <dir>',
      'get <entity> [path] --json --data <dir>',
      'delete|remove <entity> [path] --json --data <dir>',
      'explain <query> <entity> --preset <name> --json --data <dir>',
      'examples [action] --lexical --json --data <dir>',
      'eval <dir...> --preset <name> --split <name> --queries <n> --fail-under <metric=value> --dump <file> --compare --json --data <dir>',
      'model [action] --json --data <dir>',
      'reindex [paths...] --all --missing --json --data <dir>',
      'doctor --json --data <dir>',
      'completion <shell>',
    ]);
  });

  it('exports these names from dowser', () => {
    expect(Object.keys(library).sort()).toEqual([
      'DowserError',
      'ENTITY_TYPES',
      'ERROR_CODES',
      'STATUSES',
      'loadSettings',
      'openRegistry',
      'parseEntity',
    ]);
  });

  it('exports these names from dowser/search', () => {
    expect(Object.keys(search).sort()).toEqual([
      'RRF_K',
      'SOFT_CAP',
      'analyze',
      'boostTokens',
      'distribute',
      'flattenMetadata',
      'textBoost',
      'toolScore',
    ]);
  });

  it('exports these names from dowser/client', () => {
    expect(Object.keys(client).sort()).toEqual(['DowserError', 'createClient', 'remoteRegistry']);
  });

  it('has these error codes, statuses and exit codes', () => {
    expect(Object.entries(ERROR_CODES).map(([code, { http, exit }]) => `${code} ${http} ${exit}`)).toEqual([
      'INVALID_REQUEST 422 2',
      'MALFORMED_JSON 400 2',
      'EMPTY_SEARCH 400 2',
      'UNSUPPORTED_MEDIA_TYPE 415 2',
      'BODY_TOO_LARGE 413 2',
      'UNKNOWN_TYPE 422 2',
      'UNKNOWN_PRESET 422 2',
      'ALREADY_EXISTS 409 1',
      'PRECONDITION_FAILED 412 1',
      'DUPLICATE_PATH 409 2',
      'WRONG_DIMENSIONS 422 2',
      'NOT_FOUND 404 1',
      'FORBIDDEN 403 1',
      'METHOD_NOT_ALLOWED 405 2',
      'NOT_IMPLEMENTED 501 1',
      'EMBEDDER_UNAVAILABLE 503 1',
      'EMBEDDER_REJECTED 502 1',
      'MODEL_MISSING 503 1',
      'MODEL_DOWNLOAD_FAILED 503 1',
      'MODEL_CORRUPT 503 1',
      'STORE_CORRUPT 503 1',
      'STORE_TOO_NEW 503 1',
      'STORE_LOCKED 503 1',
      'STORE_FULL 507 1',
      'ENGINE_UNAVAILABLE 503 1',
      'PORT_IN_USE 503 1',
      'SERVER_UNREACHABLE 503 1',
      'SOURCE_UNREACHABLE 502 1',
      'INVALID_SETTING 500 2',
      'INVALID_FILE 422 2',
      'INTERNAL 500 70',
    ]);
  });

  it('has these MCP tools and arguments', () => {
    expect(MCP_TOOLS.map(({ name, input }) => [name, ...Object.keys(input.shape)].join(' '))).toEqual([
      'search_tools query kinds filters context k detail max_tokens explain format',
      'get_details path kind max_tokens',
      'search_registry query max_results include_discovery_receipt',
      'intelligent_tool_finder query top_n',
      'list_skills query limit cursor max_tokens',
      'get_skill_content skill_name resource_path max_tokens',
      'list_services limit cursor',
      'list_agents limit cursor',
      'healthcheck',
    ]);
  });

  it('has these entity types', () => {
    expect(ENTITY_TYPES).toEqual([
      'mcp_server',
      'tool',
      'virtual_server',
      'a2a_agent',
      'skill',
      'package',
      'memory',
      'document',
    ]);
  });

  it('has no setting that nothing reads', () => {
    const src = new URL('../../src/', import.meta.url);
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.ts$/.test(name) && !/\.test\.ts$|^config[\\/]/.test(name),
    );
    const code = files.map((name) => readFileSync(new URL(name, src), 'utf8')).join('\n');
    expect(SETTINGS.map(({ name }) => name).filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
  });

  it('has these settings and variables', () => {
    expect(SETTINGS.map(({ name, env, flag }) => [name, ...env, ...(flag === null ? [] : [flag])].join(' '))).toEqual([
      'data_dir DOWSER_DATA --data',
      'models_dir DOWSER_MODELS',
      'engine DOWSER_ENGINE',
      'host DOWSER_HOST --host',
      'port DOWSER_PORT PORT --port',
      'public_url DOWSER_PUBLIC_URL PUBLIC_URL',
      'body_limit_bytes DOWSER_BODY_LIMIT_BYTES',
      'indexing_wait_ms DOWSER_INDEXING_WAIT_MS',
      'preset DOWSER_PRESET SEARCH_FUSION_METHOD',
      'vector_search_ef_search VECTOR_SEARCH_EF_SEARCH',
      'dedup_score_threshold DEDUP_SCORE_THRESHOLD',
      'dedup_max_suggestions DEDUP_MAX_SUGGESTIONS',
      'source_connect_ms DOWSER_SOURCE_CONNECT_MS',
      'source_list_ms DOWSER_SOURCE_LIST_MS',
      'source_max_bytes DOWSER_SOURCE_MAX_BYTES',
      'log_level DOWSER_LOG_LEVEL --log-level',
      'log_query_text SEARCH_LOG_QUERY_TEXT',
      'embeddings_provider EMBEDDINGS_PROVIDER',
      'embeddings_model_name EMBEDDINGS_MODEL_NAME',
      'embeddings_dimensions EMBEDDINGS_DIMENSIONS',
      'embeddings_api_base EMBEDDINGS_API_BASE',
      'embeddings_api_key EMBEDDINGS_API_KEY',
      'embeddings_secret_key EMBEDDINGS_SECRET_KEY',
      'embeddings_aws_region EMBEDDINGS_AWS_REGION AWS_REGION AWS_DEFAULT_REGION',
      'embeddings_response_format EMBEDDINGS_RESPONSE_FORMAT',
      'embeddings_workers EMBEDDINGS_WORKERS',
    ]);
  });
});
