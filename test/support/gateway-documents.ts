import type { JsonObject } from '../../src/model/json/json-object.ts';

/** The collections of an MCP gateway registry that we made up, in all the shapes that its documents have had. */
export interface GatewayCollections {
  readonly collections: Readonly<Record<string, readonly JsonObject[]>>;
  /** Texts that must not reach the data folder. */
  readonly secrets: readonly string[];
}

export interface GatewaySize {
  readonly servers: number;
  readonly agents: number;
  readonly skills: number;
  readonly virtual: number;
  readonly scopes: number;
}

const count = (size: number): readonly number[] => Array.from({ length: size }, (_, at) => at);
const VISIBILITIES = ['public', 'public', 'public', 'group-restricted', 'private', 'internal'];
const STATUSES = ['active', 'Beta', 'deprecated', 'draft', 'retired', undefined];
const TIME = '2026-03-04T05:06:07.123456';

export function gatewayCollections({ servers, agents, skills, virtual, scopes }: GatewaySize): GatewayCollections {
  const secrets: string[] = [];
  /** A value that must not be moved. */
  const secret = (name: string, text = `hush-${name}-7f3a9c2e51`): string => {
    secrets.push(text);
    return text;
  };
  const shared = (at: number): JsonObject => ({
    id: `0000-${at}`,
    tags: at % 5 === 0 ? [] : ['moved', `tag-${at % 7}`],
    visibility: VISIBILITIES[at % VISIBILITIES.length],
    allowed_groups: at % 6 === 3 ? [`group-${at % 4}`, 'group-1'] : [],
    ...(at % 11 === 0 ? {} : { is_enabled: at % 3 !== 0 }),
    ...(at % 6 === 5 ? {} : { status: STATUSES[at % 6] }),
    num_stars: at % 5,
    rating_details: [{ user: 'ada', rating: 4 }],
    registered_at: TIME,
    updated_at: at % 2 === 0 ? TIME : `${TIME}+00:00`,
    license: 'MIT',
    _identity_url_normalized: `host-${at}`,
  });

  /** The three shapes of tools, and lists that are none. */
  const tools = (at: number): unknown => {
    if (at % 20 === 19) return null;
    const schema = { type: 'object', properties: { token: { type: 'string' }, [`field_${at}`]: { type: 'number' } } };
    const docstring = { main: `Docstring of ${at}.`, args: 'token: a word', returns: 'a number', raises: null };
    return [`read_${at}`, `write_${at}`, `purge_${at}`].map((name) => {
      if (at % 3 === 0) return { name, description: `${name} in words.`, inputSchema: schema };
      if (at % 3 === 1) return { name, description: `${name} in words.`, schema, annotations: { readOnlyHint: true } };
      return { name, parsed_description: docstring, schema, cached_at: TIME };
    });
  };

  const server = (at: number): JsonObject => ({
    _id: at % 10 === 4 ? `/server-${at}/` : `/server-${at}`,
    server_name: `Server ${at}`,
    description:
      at % 50 === 1 ? `Call it with ${secret(`text-${at}`, `sk-live-${at}abc4567890xyz`)}.` : `Does thing ${at}.`,
    proxy_pass_url:
      at % 50 === 2
        ? `https://me:${secret(`user-${at}`)}@s${at}.example/mcp`
        : `https://s${at}.example/mcp?api_key=${secret(`url-${at}`)}`,
    mcp_endpoint: at % 2 === 0 ? null : `https://s${at}.example/mcp`,
    supported_transports: ['streamable-http'],
    auth_type: 'bearer',
    auth_credential_encrypted: secret(`cipher-${at}`),
    headers: [{ Authorization: `Bearer ${secret(`header-${at}`)}` }],
    tool_list: tools(at),
    num_tools: 3,
    tool_overrides: at % 4 === 0 ? { [`purge_${at}`]: { blocked: true, source: 'admin', reason: 'no' } } : {},
    version: 'v1.0.0',
    deployment: at % 25 === 3 ? 'local' : 'remote',
    local_runtime:
      at % 25 === 3
        ? {
            type: 'npx',
            package: 'some-server',
            args: ['--api-key', secret(`arg-${at}`), '--port', '80'],
            env: { SOME_PASSWORD: secret(`env-${at}`), SETTING: secret(`plain-${at}`) },
          }
        : null,
    metadata: { team: 'data', api_key: secret(`metadata-${at}`), db: { password: secret(`nested-${at}`), port: 5432 } },
    owner: `owner-${at % 9}`,
    source: 'local',
    sync_metadata: { is_federated: false },
    ans_metadata: { status: 'verified' },
    is_proxied: true,
    proxy_timeout: 30,
    custom_field_of_ours: 'x',
    ...shared(at),
  });

  /** Every thirtieth server has two more versions. */
  const versions = count(servers)
    .filter((at) => at % 30 === 0)
    .flatMap((at) =>
      ['v2.0.0', 'v3.0.0'].map((version) => ({
        ...server(at),
        _id: `/server-${at}:${version}`,
        version,
        description: `Does thing ${at} as ${version}.`,
      })),
    );

  const agent = (at: number): JsonObject => ({
    _id: `/agents/agent-${at}`,
    name: `Agent ${at}`,
    description: `Plans thing ${at}.`,
    url: `https://a${at}.example/`,
    version: '1.2.0',
    protocol_version: '0.3.0',
    preferred_transport: 'JSONRPC',
    capabilities: { streaming: true },
    default_input_modes: ['text/plain'],
    provider: { organization: 'Example', url: 'https://example.com' },
    security_schemes: { main: { type: 'http', scheme: 'bearer' } },
    skills: [
      { id: 'plan', name: 'Plan', description: 'Plans.', tags: ['plan'], examples: ['Plan it'], input_modes: ['text'] },
    ],
    trust_level: 'community',
    registered_by: `owner-${at % 9}`,
    custom_headers_encrypted: secret(`agent-${at}`),
    metadata: at % 3 === 0 ? null : { team: 'agents', token: secret(`agent-metadata-${at}`) },
    ...shared(at),
  });

  const skill = (at: number): JsonObject => ({
    _id: `/skills/skill-${at}`,
    path: `/skills/skill-${at}`,
    name: `skill-${at}`,
    skill_md_url: `https://git.example/skills/${at}/SKILL.md`,
    skill_md_raw_url: `https://raw.example/${at}?token=${secret(`skill-${at}`)}`,
    description: `Explains thing ${at}.`,
    compatibility: 'any',
    target_agents: ['coder'],
    allowed_tools: at % 2 === 0 ? ['Read', 'Grep'] : [{ tool_name: 'Read', server_path: '/server-1' }],
    registry_name: 'local',
    owner: `owner-${at % 9}`,
    health_status: 'healthy',
    last_checked_time: TIME,
    metadata:
      at % 2 === 0
        ? { author: 'Ada', version: '0.9', extra: { area: 'docs' } }
        : { author: 'Ada', area: 'docs', secret: secret(`skill-metadata-${at}`) },
    ...shared(at),
  });

  const virtualServer = (at: number): JsonObject => ({
    _id: `/virtual/set-${at}`,
    server_name: `Set ${at}`,
    description: `Tools for thing ${at}.`,
    tool_mappings: [
      { tool_name: `read_${at}`, alias: `get_${at}`, backend_server_path: `/server-${at}`, backend_version: null },
      {
        tool_name: `purge_${at}`,
        alias: `clean_${at}`,
        backend_server_path: `/server-${at}/`,
        description_override: 'Cleans.',
      },
    ],
    required_scopes: ['scope-1'],
    tool_scope_overrides: [{ tool_alias: `get_${at}`, required_scopes: ['scope-2'] }],
    supported_transports: ['streamable-http'],
    created_by: `owner-${at % 9}`,
    ...shared(at),
  });

  /** In all the shapes of `server_access`. The first is that of administrators. */
  const scope = (at: number): JsonObject => {
    const [path, name, third] = [`/server-${at * 7}`, `Server ${at * 11}`, `server-${at * 13}/`];
    const shapes: readonly JsonObject[][] = [
      [{ scope_name: `scope-${at}`, access_rules: [{ server: path, methods: ['tools/list'], tools: ['*'] }] }],
      [
        { server: name, methods: ['initialize'], tools: 'all' },
        { agent: `/agents/agent-${at}`, actions: ['list_agents'] },
      ],
      [
        { server: third, methods: [], tools: [`read_${at * 13}`] },
        { agents: { actions: [{ action: 'list_agents', resources: ['all'] }] } },
      ],
      [{ server: path, tools: [`read_${at * 7}`, `write_${at * 7}`, `purge_${at * 7}`] }],
    ];
    return {
      _id: `scope-${at}`,
      group_mappings: [`group-${at % 8}`, ...(at % 5 === 0 ? ['group-9'] : [])],
      server_access: at === 0 ? [{ server: '*', methods: ['all'], tools: ['all'] }] : shapes[at % shapes.length],
      ui_permissions:
        at === 0
          ? { list_service: ['all'], list_agents: ['all'], list_skills: ['all'], register_service: ['all'] }
          : {
              list_service: [`server-${at * 3}`, `/virtual/set-${at}`],
              list_skills: [`skill-${at}`],
              toggle_service: [],
            },
      created_at: TIME,
    };
  };

  return {
    secrets,
    collections: {
      mcp_servers_default: [...count(servers).map(server), ...versions],
      mcp_agents_default: count(agents).map(agent),
      agent_skills_default: count(skills).map(skill),
      virtual_servers_default: count(virtual).map(virtualServer),
      mcp_scopes_default: count(scopes).map(scope),
      mcp_embeddings_384_default: [{ _id: '/server-1', embedding: [0.1, 0.2] }],
      oauth_sessions_default: [{ _id: 'x', access_token: secret('session') }],
      mcp_peers_default: [{ _id: 'peer', endpoint: `https://peer.example/?token=${secret('peer')}` }],
      our_own_collection: [{ _id: 1 }],
    },
  };
}
