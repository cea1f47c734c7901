import { describe, expect, it } from 'vitest';
import { contract } from '../../src/api/contract.ts';
import { OPERATION_NAMES } from '../../src/api/routes.ts';
import { COMMANDS } from '../../src/cli/command-table.ts';
import * as client from '../../src/client/index.ts';
import { SETTINGS } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import * as library from '../../src/index.ts';
import { ENTITY_TYPES } from '../../src/model/entity.ts';
import { ERROR_CODES } from '../../src/model/errors.ts';
import * as search from '../../src/search/index.ts';
import { memoryRegistry } from './memory-registry.ts';

/** What others build on. A change here is a change for them: make it on purpose, and say so in the CHANGELOG. */
describe('the surface', () => {
  it('has these operations', () => {
    expect(OPERATION_NAMES.map((name) => `${name}: ${contract[name].method} ${contract[name].path}`)).toEqual([
      'search: POST /api/search/semantic',
      'getEntity: GET /api/entities/{type}/{path*}',
      'putEntity: PUT /api/entities/{type}/{path*}',
      'deleteEntity: DELETE /api/entities/{type}/{path*}',
      'putEntities: POST /api/entities:batch',
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
      'GET /api/entities/:type/:path{.+}',
      'PUT /api/entities/:type/:path{.+}',
      'DELETE /api/entities/:type/:path{.+}',
      'POST /api/:_{entities:batch}',
      'GET /api/health',
      'GET /openapi.json',
      'GET /',
    ]);
  });

  it('has these commands and flags', () => {
    const lines = COMMANDS.map(({ name, args, options }) =>
      [name, ...args, ...options.map(({ flags }) => flags)].join(' '),
    );
    expect(lines).toEqual([
      'serve --port <n> --host <address> --example --log-level <level> --data <dir>',
      'search <query...> --type <type> --tag <tag> --limit <n> --preset <name> --explain --include-draft --include-deprecated --include-disabled --json --data <dir>',
      'import <file...> --lexical --strict --json --data <dir>',
      'explain <query> <entity> --preset <name> --json --data <dir>',
      'eval <dir...> --preset <name> --split <name> --queries <n> --fail-under <metric=value> --dump <file> --compare --json --data <dir>',
      'model [action] --json --data <dir>',
      'doctor --json --data <dir>',
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
      'normalizeScores',
      'rrf',
      'textBoost',
      'toolScore',
    ]);
  });

  it('exports these names from dowser/client', () => {
    expect(Object.keys(client).sort()).toEqual(['DowserError', 'createClient']);
  });

  it('has these error codes, statuses and exit codes', () => {
    expect(Object.entries(ERROR_CODES).map(([code, { http, exit }]) => `${code} ${http} ${exit}`)).toEqual([
      'INVALID_REQUEST 422 2',
      'MALFORMED_JSON 400 2',
      'EMPTY_SEARCH 400 2',
      'BODY_TOO_LARGE 413 2',
      'UNKNOWN_TYPE 422 2',
      'UNKNOWN_PRESET 422 2',
      'DUPLICATE_PATH 409 2',
      'WRONG_DIMENSIONS 422 2',
      'NOT_FOUND 404 1',
      'FORBIDDEN 403 1',
      'METHOD_NOT_ALLOWED 405 2',
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
      'INVALID_SETTING 500 2',
      'INVALID_FILE 422 2',
      'INTERNAL 500 70',
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

  it('has these settings and variables', () => {
    expect(SETTINGS.map(({ name, env, flag }) => [name, ...env, ...(flag === null ? [] : [flag])].join(' '))).toEqual([
      'data_dir DOWSER_DATA --data',
      'models_dir DOWSER_MODELS',
      'engine DOWSER_ENGINE',
      'host DOWSER_HOST --host',
      'port DOWSER_PORT PORT --port',
      'body_limit_bytes DOWSER_BODY_LIMIT_BYTES',
      'indexing_wait_ms DOWSER_INDEXING_WAIT_MS',
      'log_level DOWSER_LOG_LEVEL --log-level',
      'log_query_text SEARCH_LOG_QUERY_TEXT',
      'embeddings_provider EMBEDDINGS_PROVIDER',
      'embeddings_model_name EMBEDDINGS_MODEL_NAME',
      'embeddings_dimensions EMBEDDINGS_DIMENSIONS',
      'embeddings_api_base EMBEDDINGS_API_BASE',
      'embeddings_api_key EMBEDDINGS_API_KEY',
      'embeddings_response_format EMBEDDINGS_RESPONSE_FORMAT',
      'embeddings_workers EMBEDDINGS_WORKERS',
    ]);
  });
});
