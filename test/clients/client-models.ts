import { z } from 'zod';

/**
 * What the clients of the MCP gateway registry require of each answer: every field without a default in their models, and the
 * types of those with one. A loose object: they ignore the rest. `nullish` is a field that they take as null or absent.
 */
const text = z.string();
const texts = z.array(text);
const record = z.record(z.string(), z.unknown());
const whole = z.int();
const time = z.iso.datetime();

const page = { total_count: whole, limit: whole, offset: whole, has_next: z.boolean() };
const ratingDetail = z.looseObject({ user: text, rating: z.int().min(1).max(5) });

const listedServer = z.looseObject({
  path: text,
  display_name: text,
  description: text,
  is_enabled: z.boolean(),
  health_status: z.enum(['healthy', 'unhealthy', 'unknown', 'disabled']),
  status: text,
  last_checked_iso: time.nullable(),
  rating_details: z.array(ratingDetail),
  registered_by: text.nullable(),
  default_version: text,
  sync_metadata: record.nullable(),
});

export const server = z.looseObject({
  id: text.min(1),
  path: text,
  server_name: text,
  description: text,
  proxy_pass_url: text.nullish(),
  tags: texts,
  num_tools: whole,
  tool_list: z.array(record),
  is_enabled: z.boolean(),
  health_status: text.nullish(),
  transport: text.nullish(),
  version: text.nullish(),
  license: text,
  registered_by: text.nullish(),
});

const listedAgent = z.looseObject({
  name: text,
  path: text,
  url: text,
  description: text,
  tags: texts,
  skills: texts,
  num_skills: whole,
  num_stars: z.number(),
  is_enabled: z.boolean(),
  provider: text.nullable(),
  streaming: z.boolean(),
  trust_level: text,
  protocol_version: text,
  status: text,
});

const provider = z.looseObject({ organization: text, url: text }).nullable();
const agentSkill = z.looseObject({ id: text, name: text, description: text, tags: texts });

export const agent = z.looseObject({
  id: text.min(1),
  protocol_version: text,
  name: text,
  description: text,
  url: text,
  version: text,
  capabilities: record,
  skills: z.array(agentSkill),
  provider,
  metadata: record,
  path: text,
  tags: texts,
  is_enabled: z.boolean(),
  license: text,
  visibility: text,
  allowed_groups: texts,
  trust_level: text,
  status: text,
});

const agentHit = z.looseObject({
  path: text,
  relevance_score: z.number().min(0).max(1),
  agent_card: z.looseObject({ name: text, url: text, provider, trust_level: text, skills: z.array(agentSkill) }),
});

const foundAgent = z.looseObject({
  path: text,
  name: text,
  description: text,
  url: text,
  relevance_score: z.number(),
  tags: texts,
  skills: z.array(record),
  provider: z.record(text, text).nullable(),
  capabilities: record,
  trust_level: text,
  matching_skills: texts,
  num_stars: z.number(),
  version: text.nullish(),
});

export const skill = z.looseObject({
  id: text.min(1),
  name: text,
  path: text,
  skill_md_url: text,
  description: text.nullish(),
  visibility: text,
  is_enabled: z.boolean(),
  tags: texts,
  target_agents: texts,
  metadata: record.nullish(),
  num_stars: z.number(),
  health_status: text,
  status: text,
});

const mapping = z.looseObject({ tool_name: text, alias: text.nullish(), backend_server_path: text });

export const virtualServer = z.looseObject({
  id: text.min(1),
  path: text,
  server_name: text,
  tool_mappings: z.array(mapping),
  required_scopes: texts,
  tool_scope_overrides: z.array(z.looseObject({ tool_alias: text, required_scopes: texts })),
  tags: texts,
  supported_transports: texts,
  is_enabled: z.boolean(),
  num_stars: z.number(),
  rating_details: z.array(ratingDetail),
});

const duplicate = z.looseObject({
  entity_type: text,
  path: text,
  name: text,
  owner: text.nullable(),
  registered_at: time,
  relevance_score: z.number().min(0).max(1),
  match_reason: text.min(1),
});

const embedded = z.looseObject({ path: text, entity_type: text, name: text });

/** By the name that a recorded request gives. */
export const MODELS = {
  anything: z.unknown(),
  error: z.looseObject({ detail: text.min(1), error: z.looseObject({ code: text, message: text }) }),
  registered: z.looseObject({ path: text, name: text, message: text }),
  serverList: z.looseObject({ servers: z.array(listedServer), ...page }),
  server,
  toggled: z.looseObject({ service_path: text, new_enabled_state: z.boolean(), message: text }),
  health: z.looseObject({ status: text, servers: z.array(z.looseObject({ path: text, status: text })) }),
  config: z.looseObject({ deployment_mode: text, registry_mode: text, features: z.record(text, z.boolean()) }),
  connectConfig: z.looseObject({
    path: text,
    server_name: text,
    auth_scheme: text,
    custom_headers: z.array(record),
    decrypt_failures: whole,
    mcpServers: z.record(text, record),
  }),
  serverJson: z.looseObject({ name: text, description: text, version: text }),
  versions: z.looseObject({
    path: text,
    default_version: text,
    versions: z.array(z.looseObject({ version: text, is_default: z.boolean(), status: text })),
  }),
  message: z.looseObject({ message: text }),
  agentList: z.looseObject({ agents: z.array(listedAgent), ...page }),
  agent,
  agentRegistered: z.looseObject({
    message: text,
    agent: z.looseObject({ name: text, path: text, url: text, num_skills: whole, is_enabled: z.boolean() }),
  }),
  agentsFound: z.looseObject({ agents: z.array(foundAgent) }),
  batchSubmitted: z.looseObject({ job_id: text, status_url: text }),
  pulledCard: z.looseObject({
    agent_path: text,
    dry_run: z.boolean(),
    remote_card_url: text,
    changes: z.array(z.looseObject({ field: text })),
    has_changes: z.boolean(),
    applied: z.boolean(),
    health_status: text,
    remote_card: record,
  }),
  skill,
  skillList: z.looseObject({ skills: z.array(skill), ...page }),
  skillContent: z.looseObject({ content: text, url: text }),
  virtualServer,
  virtualServerList: z.looseObject({ virtual_servers: z.array(virtualServer), total: whole }),
  missing: z.looseObject({
    missing: z.array(embedded),
    total_missing: whole,
    total_indexed: whole,
    total_source: whole,
  }),
  stale: z.looseObject({ stale: z.array(embedded), total_stale: whole }),
  reindexed: z.looseObject({
    success: whole,
    failed: whole,
    details: z.array(z.looseObject({ path: text, status: text })),
  }),
  cleaned: z.looseObject({ removed: whole, failed: whole, total: whole }),
  ardResults: z.looseObject({ results: z.array(record) }),
  ardItems: z.looseObject({ items: z.array(record), total: whole }),
  duplicates: z.looseObject({
    has_collision: z.boolean(),
    collision_with: z.array(duplicate),
    advisory_matches: z.array(duplicate),
  }),
  search: z.looseObject({
    query: text,
    search_mode: text,
    servers: z.array(z.looseObject({ path: text, server_name: text, relevance_score: z.number() })),
    tools: z.array(z.looseObject({ server_path: text, server_name: text, tool_name: text })),
    agents: z.array(agentHit),
    skills: z.array(z.looseObject({ path: text, skill_name: text })),
    virtual_servers: z.array(z.looseObject({ path: text, server_name: text })),
  }),
  rated: z.looseObject({ message: text, average_rating: z.number().min(1).max(5) }),
  user: z.looseObject({ username: text, is_admin: z.boolean(), ui_permissions: z.record(text, texts) }),
  csrf: z.looseObject({ csrf_token: text.min(1) }),
  version: z.looseObject({ version: text }),
  stats: z.looseObject({
    uptime_seconds: whole,
    started_at: time,
    version: text,
    registry_stats: z.looseObject({ servers: whole, agents: whole, skills: whole }),
    database_status: z.looseObject({ backend: text, status: text }),
  }),
  serversByPath: z.record(text, z.looseObject({ path: text, server_name: text })),
  tools: z.looseObject({ tools: z.array(z.looseObject({ name: text })) }),
  assetHealth: z.looseObject({
    path: text,
    healthy: z.boolean(),
    error: text.nullable(),
    status_code: whole,
    response_time_ms: z.number(),
  }),
  authConfig: z.looseObject({ auth_server_url: text }),
  authProviders: z.looseObject({ providers: z.array(z.looseObject({ name: text })) }),
  skillTools: z.looseObject({ all_available: z.boolean(), missing_tools: texts, available_tools: texts }),
  refreshed: z.looseObject({ message: text, service_path: text, status: text, num_tools: whole }),
  ping: z.looseObject({ status: z.literal('healthy') }),
} satisfies Record<string, z.ZodType>;
export type ModelName = keyof typeof MODELS;
