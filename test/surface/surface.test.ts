import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COMMANDS, type CommandInfo } from '../../src/cli/command-tables/command-table.ts';
import * as client from '../../src/client/index.ts';
import { SETTINGS } from '../../src/config.ts';
import * as library from '../../src/index.ts';
import { TOOLPILOT_TOOLS } from '../../src/mcp/tools/toolpilot.ts';
import { MCP_TOOLS } from '../../src/mcp/tools/tools.ts';
import { ENTITY_TYPES } from '../../src/model/entity.ts';
import { ERROR_CODES } from '../../src/model/errors/errors.ts';

/** What others build on. A change here is a change for them: make it on purpose, and say so in the CHANGELOG. */
describe('the surface', () => {
  it('has these commands and flags', () => {
    const lines = COMMANDS.map(({ name, aliases = [], args, options }: CommandInfo) =>
      [[name, ...aliases].join('|'), ...args, ...options.map(({ flags }) => flags)].join(' '),
    );
    expect(lines).toEqual([
      'serve --port <n> --host <address> --auth --open --example --no-web --call <class> --log-level <level> --data <dir>',
      'search [query...] --type <type> --tag <tag> --limit <n> --offset <n> --min-confidence <n> --facets <fields> --preset <name> --explain --why-not <id> --include-draft --include-deprecated --include-disabled --drifted --json --data <dir>',
      'recommend <need...> --language <name> --category <name> --license <id> --deployment <name> --type <type> --preset <name> --json --data <dir>',
      'list [type] --tag <tag> --status <status> --query <text> --limit <n> --json --data <dir>',
      'tags --limit <n> --json --data <dir>',
      'mcp --toolset <name> --profile <name> --call <class> --log-level <level> --data <dir>',
      'call <tool> [arguments...] --call <class> --args <json> --args-file <file> --definition <id> --session <name> --max-tokens <n> --timeout <seconds> --read-only --dry-run --ignore-tool-error --tools <names> --class <class> --cwd <dir> --share --accept --json --data <dir>',
      'memory <action> [words...] --tag <tag> --match <how> --type <word> --source <class> --min-source <class> --min-certainty <share> --namespace <name> --agent <id> --conversation <id> --when <words> --after <time> --before <time> --as-of <time> --all --mode <mode> --limit <n> --min-confidence <n> --page <n> --supersedes <hash> --by <hash> --reason <text> --undo --valid-from <time> --invalid-at <time> --dry-run --purge --json --data <dir>',
      'docs <action> [words...] --name <name> --include <pattern> --exclude <pattern> --note <text> --strategy <how> --chunk-size <chars> --overlap <chars> --collection <name> --search <type:text> --intent <text> --expand --lines <a:b> --page <n> --preset <name> --limit <n> --min-confidence <n> --explain --lexical --json --data <dir>',
      'import <file...> --lexical --strict --json --data <dir>',
      'export --type <type> --out <file> --json --data <dir>',
      'add [what...] --kind <kind> --name <name> --namespace <name> --env <name> --header <header> --timeout <seconds> --replace --dry-run --lexical --strict --json --data <dir>',
      'refresh [what...] --timeout <seconds> --trust --lexical --strict --json --data <dir>',
      'login [address] --no-browser --client-id <id> --callback-port <port> --json --data <dir>',
      'logout <address> --json --data <dir>',
      'drift [entity...] --accept --json --data <dir>',
      'approve <entity> [path] --reason <text> --dry-run --json --data <dir>',
      'block <entity> [path] --reason <text> --dry-run --json --data <dir>',
      'get <entity> [path] --json --data <dir>',
      'delete|remove <entity> [path] --json --data <dir>',
      'lint [what...] --min-score <n> --among <what> --no-search --lexical --env <name> --header <header> --timeout <seconds> --sarif --json --data <dir>',
      'cost [what...] --toolset <name> --tools --env <name> --header <header> --timeout <seconds> --json --data <dir>',
      'install <entity> --client <name> --project --file <file> --name <name> --yes --dry-run --undo --json --data <dir>',
      'hooks <action> --client <name> --project --file <file> --command <command> --yes --dry-run --undo --json --data <dir>',
      'profile <action> [name] --type <type> --tag <tag> --server <path> --toolset <name> --max-tokens <n> --dry-run --json --data <dir>',
      'skill <action> [skill] --claude --dir <folder> --dry-run --json --data <dir>',
      'explain <query> <entity> --preset <name> --json --data <dir>',
      'graph <action> <args...> --json --data <dir>',
      'registry <action> <args...> --url <address> --json --data <dir>',
      'examples [action] --lexical --json --data <dir>',
      'eval <dir...> --preset <name> --split <name> --queries <n> --fail-under <metric=value> --dump <file> --compare --json --data <dir>',
      'model [action] [model] --english --json --data <dir>',
      'reindex [paths...] --all --missing --json --data <dir>',
      'doctor --deep --repair --json --data <dir>',
      'backup <file> --all --json --data <dir>',
      'restore <file> --json --data <dir>',
      'migrate --from <place> --to <place> --namespace <name> --dry-run --lexical --json --data <dir>',
      'key <action> [name] --name <name> --groups <names> --scopes <scopes> --servers <paths> --expires <time> --json --data <dir>',
      'audit --who <name> --action <name> --result <result> --since <time> --limit <n> --json --data <dir>',
      'groups <action> <file> --dry-run --json --data <dir>',
      'completion <shell>',
    ]);
  });

  it('exports these names from dowser', () => {
    expect(Object.keys(library).sort()).toEqual([
      'DowserError',
      'ENTITY_TYPES',
      'ERROR_CODES',
      'STATUSES',
      'addFile',
      'askDocuments',
      'loadSettings',
      'openChat',
      'openDocuments',
      'openMemories',
      'openRegistry',
      'parseEntity',
      'wholeAnswer',
    ]);
  });

  it('exports these names from dowser/client', () => {
    expect(Object.keys(client).sort()).toEqual([
      'DowserError',
      'askCollection',
      'createClient',
      'remoteDocuments',
      'remoteMemories',
      'remoteRegistry',
      'uploadFile',
    ]);
  });

  it('has these error codes, statuses and exit codes', () => {
    expect(Object.entries(ERROR_CODES).map(([code, { http, exit }]) => `${code} ${http} ${exit}`)).toEqual([
      'INVALID_REQUEST 422 2',
      'MALFORMED_JSON 400 2',
      'EMPTY_SEARCH 400 2',
      'UNSUPPORTED_MEDIA_TYPE 415 2',
      'BODY_TOO_LARGE 413 2',
      'BODY_TOO_SLOW 408 1',
      'BODY_INCOMPLETE 400 1',
      'OVERLOADED 503 1',
      'TOO_MANY_REQUESTS 429 1',
      'SERVER_STOPPING 503 1',
      'UNKNOWN_TYPE 422 2',
      'UNKNOWN_PRESET 422 2',
      'ALREADY_EXISTS 409 1',
      'PRECONDITION_FAILED 412 1',
      'DUPLICATE_PATH 409 2',
      'WRONG_DIMENSIONS 422 2',
      'NOT_FOUND 404 1',
      'FORBIDDEN 403 1',
      'UNAUTHENTICATED 401 1',
      'INSUFFICIENT_SCOPE 403 1',
      'AUTH_UNAVAILABLE 503 1',
      'AUDIT_UNAVAILABLE 507 1',
      'METHOD_NOT_ALLOWED 405 2',
      'NOT_IMPLEMENTED 501 1',
      'EMBEDDER_UNAVAILABLE 503 1',
      'EMBEDDER_REJECTED 502 1',
      'CHAT_UNAVAILABLE 503 1',
      'CHAT_REJECTED 502 1',
      'MODEL_MISSING 503 1',
      'MODEL_DOWNLOAD_FAILED 503 1',
      'MODEL_CORRUPT 503 1',
      'STORE_CORRUPT 503 1',
      'STORE_LOST_WRITES 503 1',
      'STORE_TOO_NEW 503 1',
      'STORE_LOCKED 503 1',
      'STORE_FULL 507 1',
      'ENGINE_UNAVAILABLE 503 1',
      'RECORD_UNAVAILABLE 503 1',
      'VECTORS_UNAVAILABLE 503 1',
      'REPLICA_BEHIND 503 1',
      'GRAPH_UNAVAILABLE 503 1',
      'PORT_IN_USE 503 1',
      'SERVER_UNREACHABLE 503 1',
      'NOT_CALLABLE 409 11',
      'CLASS_REFUSED 403 11',
      'DRIFTED 409 11',
      'INVALID_ARGUMENTS 422 2',
      'STARTING 503 10',
      'UNAVAILABLE 503 10',
      'SIGN_IN_NEEDED 403 11',
      'TIMEOUT 504 12',
      'OUTCOME_UNKNOWN 504 12',
      'CANCELLED 409 1',
      'RATE_LIMITED 429 10',
      'BUSY 503 10',
      'INPUT_NEEDED 409 11',
      'PROTOCOL 502 1',
      'SOURCE_UNREACHABLE 502 1',
      'INVALID_SETTING 500 2',
      'INVALID_FILE 422 2',
      'INTERNAL 500 70',
    ]);
  });

  it('has these MCP tools and arguments', () => {
    expect(MCP_TOOLS.map(({ name, input }) => [name, ...Object.keys(input.shape)].join(' '))).toEqual([
      'search_tools query kinds filters context k detail max_tokens explain with_prerequisites format',
      'get_details path kind from_tool max_tokens',
      'search_memories query k tags type when history',
      'store_memory content tags type source supersedes',
      'update_memory hash content tags type reason',
      'forget_memory hash',
      'search_documents query collections searches intent k',
      'recommend query context',
      'recommend_respond query_id answers done',
      'search_registry query max_results include_discovery_receipt',
      'intelligent_tool_finder query top_n',
      'list_skills query limit cursor max_tokens',
      'get_skill_content skill_name resource_path from_char max_tokens',
      'list_services limit cursor',
      'list_agents limit cursor',
      'healthcheck',
    ]);
  });

  it('has these tools of ToolPilot and arguments', () => {
    expect(TOOLPILOT_TOOLS.map(({ name, input }) => [name, ...Object.keys(input.shape)].join(' '))).toEqual([
      'search_tools query context',
      'search_tools_respond query_id answers done',
      'get_stack use_case sub_needs constraints existing_tools limit',
      'compare_tools tool_a tool_b',
      'check_compatibility tool_a tool_b versions version_a version_b',
      'report_outcome query_id chosen_tool outcome used_with',
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
      'store DOWSER_STORE',
      'replica_max_behind DOWSER_REPLICA_MAX_BEHIND',
      'replica_when_lost DOWSER_REPLICA_WHEN_LOST',
      'vectors DOWSER_VECTORS',
      'vectors_api_key DOWSER_VECTORS_API_KEY QDRANT_API_KEY',
      'vectors_ef DOWSER_VECTORS_EF',
      'vectors_int8 DOWSER_VECTORS_INT8',
      'vectors_m DOWSER_VECTORS_M',
      'vectors_ef_construct DOWSER_VECTORS_EF_CONSTRUCT',
      'vectors_shards DOWSER_VECTORS_SHARDS',
      'vectors_replication DOWSER_VECTORS_REPLICATION',
      'vectors_write_consistency DOWSER_VECTORS_WRITE_CONSISTENCY',
      'models_dir DOWSER_MODELS',
      'engine DOWSER_ENGINE',
      'graph_url DOWSER_GRAPH_URL',
      'graph_user DOWSER_GRAPH_USER',
      'graph_password DOWSER_GRAPH_PASSWORD',
      'graph_database DOWSER_GRAPH_DATABASE',
      'host DOWSER_HOST --host',
      'port DOWSER_PORT PORT --port',
      'public_url DOWSER_PUBLIC_URL PUBLIC_URL',
      'ard_referrals DOWSER_ARD_REFERRALS',
      'allowed_hosts DOWSER_ALLOWED_HOSTS',
      'allowed_origins DOWSER_ALLOWED_ORIGINS',
      'allow_remote_writes DOWSER_ALLOW_REMOTE_WRITES',
      'web DOWSER_WEB --no-web',
      'body_limit_bytes DOWSER_BODY_LIMIT_BYTES',
      'body_memory_bytes DOWSER_BODY_MEMORY_BYTES',
      'body_timeout_ms DOWSER_BODY_TIMEOUT_MS',
      'max_running_requests DOWSER_MAX_RUNNING_REQUESTS',
      'max_waiting_requests DOWSER_MAX_WAITING_REQUESTS',
      'trusted_proxies DOWSER_TRUSTED_PROXIES',
      'rate_limit DOWSER_RATE_LIMIT',
      'max_requests_per_caller DOWSER_MAX_REQUESTS_PER_CALLER',
      'request_wait_ms DOWSER_REQUEST_WAIT_MS',
      'drain_ms DOWSER_DRAIN_MS',
      'shutdown_wait_ms DOWSER_SHUTDOWN_WAIT_MS',
      'auth DOWSER_AUTH --auth',
      'open_access DOWSER_OPEN_ACCESS --open',
      'anonymous_read DOWSER_ANONYMOUS_READ',
      'group_scopes DOWSER_GROUP_SCOPES',
      'oidc_issuer DOWSER_OIDC_ISSUER',
      'oidc_audience DOWSER_OIDC_AUDIENCE',
      'oidc_user_claim DOWSER_OIDC_USER_CLAIM',
      'oidc_groups_claim DOWSER_OIDC_GROUPS_CLAIM',
      'oidc_algorithms DOWSER_OIDC_ALGORITHMS',
      'oidc_clock_skew DOWSER_OIDC_CLOCK_SKEW',
      'oidc_web_client_id DOWSER_OIDC_WEB_CLIENT_ID',
      'oidc_web_scopes DOWSER_OIDC_WEB_SCOPES',
      'oidc_web_resource DOWSER_OIDC_WEB_RESOURCE',
      'audit DOWSER_AUDIT',
      'audit_max_bytes DOWSER_AUDIT_MAX_BYTES',
      'audit_keep_files DOWSER_AUDIT_KEEP_FILES',
      'indexing_wait_ms DOWSER_INDEXING_WAIT_MS',
      'preset DOWSER_PRESET SEARCH_FUSION_METHOD',
      'vector_search_ef_search VECTOR_SEARCH_EF_SEARCH',
      'withhold_drifted DOWSER_WITHHOLD_DRIFTED',
      'dedup_score_threshold DEDUP_SCORE_THRESHOLD',
      'dedup_max_suggestions DEDUP_MAX_SUGGESTIONS',
      'memory_hybrid DOWSER_MEMORY_HYBRID MCP_HYBRID_SEARCH_ENABLED',
      'memory_fusion DOWSER_MEMORY_FUSION MCP_HYBRID_FUSION_METHOD',
      'memory_keyword_weight DOWSER_MEMORY_KEYWORD_WEIGHT MCP_HYBRID_KEYWORD_WEIGHT',
      'memory_semantic_weight DOWSER_MEMORY_SEMANTIC_WEIGHT MCP_HYBRID_SEMANTIC_WEIGHT',
      'memory_certainty_days DOWSER_MEMORY_CERTAINTY_DAYS',
      'memory_readers DOWSER_MEMORY_READERS',
      'chat_url DOWSER_CHAT_URL',
      'chat_model DOWSER_CHAT_MODEL',
      'chat_key DOWSER_CHAT_KEY',
      'chat_timeout_ms DOWSER_CHAT_TIMEOUT_MS',
      'source_connect_ms DOWSER_SOURCE_CONNECT_MS',
      'source_start_ms DOWSER_SOURCE_START_MS',
      'source_list_ms DOWSER_SOURCE_LIST_MS',
      'source_max_bytes DOWSER_SOURCE_MAX_BYTES',
      'source_max_items DOWSER_SOURCE_MAX_ITEMS',
      'source_total_ms DOWSER_SOURCE_TOTAL_MS',
      'tool_discovery DOWSER_TOOL_DISCOVERY',
      'discovery_private_addresses DOWSER_DISCOVERY_PRIVATE_ADDRESSES',
      'watch_folders DOWSER_WATCH_FOLDERS',
      'refresh_interval DOWSER_REFRESH_INTERVAL',
      'call DOWSER_CALL --call',
      'call_per_server DOWSER_CALL_PER_SERVER',
      'call_total DOWSER_CALL_TOTAL',
      'call_idle_ms DOWSER_CALL_IDLE_MS',
      'call_start_wait_ms DOWSER_CALL_START_WAIT_MS',
      'call_at_once DOWSER_CALL_AT_ONCE',
      'call_queue_ms DOWSER_CALL_QUEUE_MS',
      'call_silent_ms DOWSER_CALL_SILENT_MS',
      'call_total_ms DOWSER_CALL_TOTAL_MS',
      'call_rate DOWSER_CALL_RATE',
      'call_learn DOWSER_CALL_LEARN',
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
