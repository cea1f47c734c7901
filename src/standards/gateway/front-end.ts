import { z } from 'zod';
import { type Caller, hasRight } from '../../model/caller/caller.ts';

/** The answers that the web page of the MCP gateway registry reads before it shows anything. */

const time = z.string().meta({ format: 'date-time' });
const count = z.int().min(0);

export const configSchema = z.object({
  deployment_mode: z.literal('registry-only').describe('Dowser is no proxy in front of servers.'),
  registry_mode: z.literal('full'),
  nginx_updates_enabled: z.literal(false),
  auth_provider: z.null().describe('Dowser has no accounts.'),
  features: z
    .record(z.string(), z.boolean())
    .describe(
      '`sign_in`: callers send a key or a token. `account_sign_in`: people sign in on the web page with an account of the issuer. `anonymous_read`: without one, they read public entities. `tool_calls`: tools of registered servers can be called.',
    ),
});

const REGISTRY_CONFIG: z.output<typeof configSchema> = {
  deployment_mode: 'registry-only',
  registry_mode: 'full',
  nginx_updates_enabled: false,
  auth_provider: null,
  features: {
    mcp_servers: true,
    agents: true,
    skills: true,
    virtual_servers: true,
    gateway_proxy: false,
    federation: false,
    security_scan: false,
    audit: false,
  },
};

/** What a page must know before it asks for anything that may need credentials. */
export interface SignInFacts {
  readonly required: boolean;
  readonly anonymousRead: boolean;
  /** People sign in on the web page with their account. */
  readonly accounts?: boolean;
}

export function toConfig(
  { required, anonymousRead, accounts = false }: SignInFacts,
  calls: boolean,
): z.output<typeof configSchema> {
  const features = {
    ...REGISTRY_CONFIG.features,
    sign_in: required,
    account_sign_in: required && accounts,
    anonymous_read: !required || anonymousRead,
    tool_calls: calls,
  };
  return { ...REGISTRY_CONFIG, features };
}

export const versionSchema = z.object({ version: z.string() });

export const statsSchema = z.looseObject({
  uptime_seconds: count,
  started_at: time,
  version: z.string(),
  deployment_type: z.literal('Local'),
  deployment_mode: z.literal('registry-only'),
  registry_stats: z.object({ servers: count, agents: count, skills: count, virtual_servers: count }),
  database_status: z.object({ backend: z.string(), status: z.enum(['Healthy', 'Degraded']), host: z.string() }),
  auth_status: z.object({ provider: z.null(), status: z.literal('N/A'), url: z.null() }),
});

interface StatsFacts {
  readonly version: string;
  readonly startedAt: Date;
  readonly now: Date;
  readonly engine: string;
  readonly isHealthy: boolean;
  readonly byType: Readonly<Partial<Record<string, number>>>;
}

export function toStats({ version, startedAt, now, engine, isHealthy, byType }: StatsFacts) {
  return {
    uptime_seconds: Math.max(0, Math.floor((now.getTime() - startedAt.getTime()) / 1000)),
    started_at: startedAt.toISOString(),
    version,
    deployment_type: 'Local' as const,
    deployment_mode: 'registry-only' as const,
    registry_stats: {
      servers: byType.mcp_server ?? 0,
      agents: byType.a2a_agent ?? 0,
      skills: byType.skill ?? 0,
      virtual_servers: byType.virtual_server ?? 0,
    },
    database_status: { backend: engine, status: isHealthy ? ('Healthy' as const) : ('Degraded' as const), host: 'N/A' },
    auth_status: { provider: null, status: 'N/A' as const, url: null },
  };
}

const ALL = ['all'];
const ACTIONS = ['list', 'register', 'modify', 'toggle', 'health_check', 'delete'];
const PERMISSIONS = Object.fromEntries(
  ACTIONS.flatMap((action) => ['service', 'agent', 'skill'].map((kind) => [`${action}_${kind}`, ALL])),
);

export const userSchema = z.object({
  username: z.string(),
  email: z.null(),
  auth_method: z.enum(['none', 'key', 'token']).describe('How the caller said who it is.'),
  provider: z.null(),
  scopes: z.array(z.string()),
  groups: z.array(z.string()),
  is_admin: z.boolean(),
  can_modify_servers: z.boolean(),
  ui_permissions: z.record(z.string(), z.array(z.string())),
  accessible_servers: z.array(z.string()),
  accessible_services: z.array(z.string()),
  accessible_agents: z.array(z.string()),
});

/** The user of a server without credentials. Everyone who reaches it may do everything. */
const ANONYMOUS_USER: z.output<typeof userSchema> = {
  username: 'anonymous',
  email: null,
  auth_method: 'none',
  provider: null,
  scopes: [],
  groups: [],
  is_admin: true,
  can_modify_servers: true,
  ui_permissions: PERMISSIONS,
  accessible_servers: ALL,
  accessible_services: ALL,
  accessible_agents: ALL,
};

/** Who is asking, and what he may do. */
export function toUser(caller: Caller): z.output<typeof userSchema> {
  const { name, scopes, readers } = caller;
  if (scopes === undefined) return ANONYMOUS_USER;
  const mayWrite = hasRight(caller, 'write');
  const permissions = Object.entries(PERMISSIONS).filter(([permission]) => mayWrite || permission.startsWith('list_'));
  return {
    ...ANONYMOUS_USER,
    username: name ?? 'anonymous',
    auth_method: name === undefined ? 'none' : name.startsWith('key:') ? 'key' : 'token',
    scopes: [...scopes],
    groups: (readers ?? []).flatMap((key) => (key.startsWith('group:') ? [key.slice('group:'.length)] : [])),
    is_admin: hasRight(caller, 'admin'),
    can_modify_servers: mayWrite,
    ui_permissions: Object.fromEntries(permissions),
  };
}

/** Dowser gives no tokens: a caller sends a key, or a token of the issuer, with each request. */
export const authConfigSchema = z.object({
  auth_server_url: z.literal('').describe('Empty: Dowser is no sign-in server.'),
  auth_provider: z.null(),
  sign_in: z
    .object({
      issuer: z.string(),
      client_id: z.string(),
      scope: z.string(),
      resource: z.string().nullable(),
      endpoints: z
        .object({
          authorization_endpoint: z.string(),
          token_endpoint: z.string(),
          end_session_endpoint: z.string().nullable(),
        })
        .nullable()
        .describe('Null: the issuer cannot be read now, or gives no tokens to people.'),
    })
    .nullable()
    .describe('How people sign in on the web page with their account. Null: they do not.'),
});
export const NO_SIGN_IN = { auth_server_url: '', auth_provider: null } as const;
export const authProvidersSchema = z.object({
  providers: z.array(z.object({ name: z.string(), display_name: z.string() })).describe('Always empty.'),
});

export const csrfTokenSchema = z.object({
  csrf_token: z.string().describe('Never checked: requests of other origins are refused by their `Origin`.'),
});

export const serverHealthSchema = z.object({
  status: z.enum(['healthy', 'degraded']).describe('`degraded`: a server did not answer at its last check.'),
  total_servers: count,
  healthy: count,
  unhealthy: count,
  unknown: count,
  servers: z.array(
    z.object({
      path: z.string(),
      server_name: z.string(),
      is_enabled: z.boolean(),
      status: z.enum(['healthy', 'unhealthy', 'unknown']),
      health_error: z.string().nullable().describe('Why it did not answer, or why it was not asked.'),
      last_checked_iso: time.nullable(),
      num_tools: count,
    }),
  ),
});
type ServerHealth = z.output<typeof serverHealthSchema>;

export function toServerHealth(servers: ServerHealth['servers']): ServerHealth {
  const having = (status: string) => servers.filter((server) => server.status === status).length;
  const unhealthy = having('unhealthy');
  return {
    status: unhealthy === 0 ? 'healthy' : 'degraded',
    total_servers: servers.length,
    healthy: having('healthy'),
    unhealthy,
    unknown: having('unknown'),
    servers,
  };
}
