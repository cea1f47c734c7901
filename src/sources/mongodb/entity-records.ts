import type { EntityType, Visibility } from '../../model/entity.ts';
import { isJsonObject, type JsonObject, stated } from '../../model/json/json-object.ts';
import { readAgentFields } from '../formats/a2a-card.ts';
import { isSecretName, publicArguments, variableFor } from '../secrets/secret-references.ts';
import type { EntityCollection } from './collections.ts';
import { type FieldRule, type FieldRules, readFields, type Tell } from './field-account.ts';
import { readTools } from './tool-fields.ts';
import {
  flagValue,
  objectValue,
  pathValue,
  statusValue,
  textsValue,
  textValue,
  utcMoment,
  visibilityValue,
} from './values.ts';

const CHECKED = 'Dowser checks by itself what answers.';
const RATINGS = 'Users of the old sign-in gave the ratings.';
const IDENTITY = 'Dowser names an entity by its type and path.';
const ADDED = 'Dowser notes when an entity was added here.';
const FEDERATION = 'It is about the peers of the old registry.';

/** Fields that documents of every kind have. `updated_at` is kept with the source of the entity. */
const SHARED_FIELDS: FieldRules = {
  _id: { to: 'path', read: pathValue },
  path: { to: 'path', read: pathValue },
  description: { to: 'description', read: textValue },
  tags: { to: 'tags', read: textsValue },
  external_tags: { to: 'tags', read: textsValue },
  is_enabled: { to: 'is_enabled', read: flagValue },
  status: { to: 'status', read: statusValue },
  visibility: { to: 'visibility', read: visibilityValue },
  allowed_groups: { to: 'allowed_groups', read: textsValue },
  license: { to: 'license', read: textValue },
  repository_url: { to: 'repository', read: textValue },
  owner: { to: 'metadata.owner', read: textValue },
  registered_by: { to: 'metadata.owner', read: textValue },
  ans_metadata: { to: 'metadata.ans_metadata', read: objectValue },
  updated_at: { to: 'updated_at', read: textValue },
  registered_at: { why: ADDED },
  created_at: { why: ADDED },
  id: { why: IDENTITY },
  _identity_url_normalized: { why: IDENTITY },
  num_stars: { why: RATINGS },
  rating_details: { why: RATINGS },
  sync_metadata: { why: FEDERATION },
  source: { why: FEDERATION },
  health_status: { why: CHECKED },
  last_checked_time: { why: CHECKED },
  last_health_check: { why: CHECKED },
};

/** An entity, unchecked but for these fields. */
export interface RegistryEntity extends JsonObject {
  readonly type: EntityType;
  /** Undefined if the document has no identifier. */
  readonly path: string | undefined;
  readonly name: string;
  readonly visibility: Visibility;
  readonly allowed_groups: readonly string[];
}

/** An entity of a document, with the time of its last change. */
export interface EntityRecord {
  readonly entity: RegistryEntity;
  readonly updatedAt: string | undefined;
  readonly warnings: readonly string[];
}

export interface RecordContext {
  readonly document: JsonObject;
  /** The blocked tools of a server, by its path. */
  readonly blockedOf: (path: string) => ReadonlySet<string>;
  readonly tell: Tell;
}

type ReadRecord = (context: RecordContext) => EntityRecord;

const text = (to: string): FieldRule => ({ to, read: textValue });
const CREDENTIALS = 'Credentials are not moved. Enter them where calls are made.';
const VERSIONS = 'The other versions are documents of their own.';
const PROXY = 'Dowser is no proxy.';
const VARIABLES = 'The value of a variable is set where the server runs. Its name is kept.';
const IDLE = 'Dowser finds out by itself.';

const SERVER_FIELDS: FieldRules = {
  metadata: { to: 'metadata', read: objectValue },
  ...SHARED_FIELDS,
  server_name: text('name'),
  proxy_pass_url: text('url'),
  mcp_endpoint: text('mcp_endpoint'),
  sse_endpoint: text('sse_endpoint'),
  supported_transports: { to: 'supported_transports', read: textsValue },
  transport: { to: 'supported_transports', read: textsValue },
  auth_scheme: text('auth_scheme'),
  auth_type: text('auth_scheme'),
  provider_organization: text('provider'),
  provider_url: text('provider_url'),
  version: text('version'),
  deployment: { to: 'deployment', read: (value) => (value === 'local' ? 'local' : 'remote') },
  local_runtime: { to: 'local_runtime', read: publicRuntime },
  headers: { why: CREDENTIALS },
  auth_provider: { why: CREDENTIALS },
  auth_header_name: { why: CREDENTIALS },
  credential_updated_at: { why: CREDENTIALS },
  num_tools: { why: 'Dowser counts the tools.' },
  is_python: { why: IDLE },
  is_active: { why: VERSIONS },
  version_group: { why: VERSIONS },
  default_version: { why: VERSIONS },
  other_version_ids: { why: VERSIONS },
  versions: { why: VERSIONS },
  is_proxied: { why: PROXY },
};

/** Fields that say how the old registry passes requests on. */
const isOfProxy = (field: string): boolean => field.startsWith('proxy_') && field !== 'proxy_pass_url';

/** A program to start, without the values of its variables: they are set where it runs. */
function publicRuntime(value: unknown): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const { args, env, ...rest } = value;
  const words = Array.isArray(args) ? publicArguments(args.map(String)).args : args;
  const names = isJsonObject(env) ? Object.keys(env) : [];
  return {
    ...rest,
    ...(args === undefined ? {} : { args: words }),
    ...(env === undefined ? {} : { env: Object.fromEntries(names.map((name) => [name, `\${${variableFor(name)}}`])) }),
  };
}

/** What a program lost: the values of its variables, and secrets in its arguments. */
function lostOfRuntime(before: unknown, after: unknown): readonly Parameters<Tell>[] {
  if (!isJsonObject(before) || !isJsonObject(after)) return [];
  const { args, env } = before;
  const changed = Array.isArray(args) ? args.filter((arg, at) => String(arg) !== (after.args as string[])[at]) : [];
  return [
    ...changed.map((): Parameters<Tell> => ['local_runtime.args[]', { why: 'It looks like a secret.' }]),
    ...Object.keys(objectValue(env) ?? {}).map((): Parameters<Tell> => ['local_runtime.env[]', { why: VARIABLES }]),
  ];
}

function readServer({ document, blockedOf, tell }: RecordContext): EntityRecord {
  const { tool_list, tool_overrides, ...rest } = document;
  const proxy = Object.fromEntries(
    Object.keys(rest)
      .filter(isOfProxy)
      .map((field) => [field, { why: PROXY }]),
  );
  const fields = readFields(rest, { ...SERVER_FIELDS, ...proxy }, tell);
  const tools = readTools(tool_list, blockedOf(String(fields.path)), tell);
  if ('tool_list' in document) tell('tool_list', tools.length > 0 ? { to: 'tools' } : { why: 'It has no tool.' });
  for (const lost of lostOfRuntime(rest.local_runtime, fields.local_runtime)) tell(...lost);
  if ('tool_overrides' in document) tell('tool_overrides', { to: 'tools' });
  return toRecord('mcp_server', { ...fields, tools });
}

const AGENT_FIELDS: FieldRules = {
  metadata: { to: 'metadata', read: objectValue },
  ...SHARED_FIELDS,
  trust_level: text('trust_level'),
  trustLevel: text('trust_level'),
  allowedGroups: { to: 'allowed_groups', read: textsValue },
  registeredBy: text('metadata.owner'),
  supported_protocol: { why: IDLE },
  custom_headers: { why: CREDENTIALS },
  num_skills: { why: 'Dowser counts the skills.' },
};

/** Fields of a card, as the registry spells them and as the protocol does. */
const CARD_NAMES: Readonly<Record<string, string>> = {
  protocol_version: 'protocolVersion',
  preferred_transport: 'preferredTransport',
  additional_interfaces: 'additionalInterfaces',
  supported_interfaces: 'supportedInterfaces',
  default_input_modes: 'defaultInputModes',
  default_output_modes: 'defaultOutputModes',
  security_schemes: 'securitySchemes',
  supports_authenticated_extended_card: 'supportsAuthenticatedExtendedCard',
  documentation_url: 'documentationUrl',
  icon_url: 'iconUrl',
};

/** Fields of a card that are fields of the entity, too. */
const LIFTED: readonly string[] = ['name', 'url', 'version', 'provider', 'skills', 'capabilities'];

/** Their names are those of schemes, such as `bearer`. */
const SCHEMES: readonly string[] = ['securitySchemes', 'security_schemes', 'security'];

function cardRule(field: string): FieldRule {
  if (isSecretName(field)) return { why: CREDENTIALS };
  const names = SCHEMES.includes(field) ? 'schemes' : 'secrets';
  return { to: `card.${CARD_NAMES[field] ?? field}`, read: (value) => value, names };
}

/** The registry's fields first; every other one is of the card, which is kept whole but for secrets. */
function readAgent({ document, tell }: RecordContext): EntityRecord {
  const isOfCard = (field: string) => !Object.hasOwn(AGENT_FIELDS, field) && !field.endsWith('_encrypted');
  const cardRules = Object.keys(document)
    .filter(isOfCard)
    .map((field): [string, FieldRule] => [field, cardRule(field)]);
  const rules = { ...AGENT_FIELDS, ...Object.fromEntries(cardRules) };
  const { card, ...fields } = readFields(document, rules, (field, fate) =>
    tell(field, 'to' in fate && LIFTED.includes(field) ? { to: field } : fate),
  );
  const path = String(fields.path ?? '');
  const given = { name: nameFrom(path), ...stated({ description: fields.description }), ...(card as JsonObject) };
  const read = readAgentFields(given, path === '' ? {} : { path });
  const record = toRecord('a2a_agent', { ...read.fields, ...fields });
  return { ...record, warnings: read.warnings };
}

const SKILL_FIELDS: FieldRules = {
  metadata: { to: 'metadata', read: objectValue },
  ...SHARED_FIELDS,
  name: text('name'),
  version: text('version'),
  author: text('author'),
  compatibility: text('compatibility'),
  target_agents: { to: 'target_agents', read: textsValue },
  allowed_tools: { to: 'allowed_tools', read: toolNames },
  skill_md_url: text('skill_md_url'),
  skill_md_raw_url: text('skill_md_raw_url'),
  registry_name: text('registry_name'),
  skill_md_content: text('body'),
};

/** Names, or objects with the name of a tool. */
function toolNames(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return textsValue(value);
  return textsValue(value.map((tool: unknown) => (isJsonObject(tool) ? (tool.tool_name ?? tool.name) : tool)));
}

/** `metadata` is `{author, version, extra}`, or an old one with the publisher's own fields beside them. */
function readSkill({ document, tell }: RecordContext): EntityRecord {
  const metadata = { ...objectValue(document.metadata) };
  const lifted = (['author', 'version'] as const).flatMap((field) => {
    const value = metadata[field];
    if (value === undefined || value === null || document[field] != null) return [];
    delete metadata[field];
    tell(`metadata.${field}`, { to: field });
    return [[field, value] as const];
  });
  const fields = readFields({ ...document, metadata, ...Object.fromEntries(lifted) }, SKILL_FIELDS, (field, fate) => {
    // The lifted ones are told of above, under the names that they have in the document.
    if (Object.hasOwn(document, field) && !lifted.some(([name]) => name === field)) tell(field, fate);
  });
  return toRecord('skill', fields);
}

const VIRTUAL_FIELDS: FieldRules = {
  metadata: { to: 'metadata', read: objectValue },
  ...SHARED_FIELDS,
  server_name: text('name'),
  version: text('version'),
  supported_transports: { to: 'supported_transports', read: textsValue },
  required_scopes: { to: 'required_scopes', read: textsValue },
  tool_scope_overrides: { to: 'tool_scope_overrides', read: scopeOverrides },
  created_by: text('metadata.owner'),
  num_tools: { why: 'Dowser counts the tools.' },
};

function scopeOverrides(value: unknown): readonly JsonObject[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter(isJsonObject).flatMap(({ tool_alias, required_scopes }) => {
    const alias = textValue(tool_alias);
    return alias === undefined ? [] : [{ tool_alias: alias, required_scopes: textsValue(required_scopes) ?? [] }];
  });
}

const MAPPING_FIELDS: FieldRules = {
  tool_name: text('tool_name'),
  alias: text('alias'),
  backend_server_path: { to: 'backend_server_path', read: pathValue },
  backend_version: text('backend_version'),
  description_override: text('description_override'),
};

/** A blocked tool stays out under its alias, too. */
function readVirtualServer({ document, blockedOf, tell }: RecordContext): EntityRecord {
  const { tool_mappings, ...rest } = document;
  const fields = readFields(rest, VIRTUAL_FIELDS, tell);
  const drop = (why: string) => {
    tell('tool_mappings[]', { why });
    return [];
  };
  const mappings = (Array.isArray(tool_mappings) ? tool_mappings.filter(isJsonObject) : []).flatMap((mapping) => {
    const backend = pathValue(mapping.backend_server_path);
    const tool = textValue(mapping.tool_name);
    if (backend === undefined || tool === undefined) return drop('The mapping names no tool.');
    if (blockedOf(backend).has(tool.trim())) return drop('The tool is blocked.');
    return [
      readFields(mapping, MAPPING_FIELDS, (field, fate) =>
        tell(`tool_mappings[].${field}`, 'to' in fate ? { to: `tool_mappings[].${fate.to}` } : fate),
      ),
    ];
  });
  if ('tool_mappings' in document) tell('tool_mappings', { to: 'tool_mappings' });
  return toRecord('virtual_server', { ...fields, tool_mappings: mappings });
}

/** Without a field that says so, an entity is disabled and as visible as the registry made new ones. */
function toRecord(type: EntityType, { updated_at, ...fields }: Record<string, unknown>): EntityRecord {
  const groups = (fields.allowed_groups ?? []) as readonly string[];
  const said = (fields.visibility ?? 'public') as Visibility;
  const isRestricted = said === 'group-restricted';
  const path = fields.path as string | undefined;
  const entity = {
    is_enabled: false,
    ...fields,
    type,
    path,
    name: (fields.name as string | undefined) ?? nameFrom(path ?? ''),
    visibility: isRestricted && groups.length === 0 ? 'private' : said,
    // Elsewhere they say nothing.
    allowed_groups: isRestricted ? groups : [],
  } as const;
  return { entity, updatedAt: utcMoment(updated_at), warnings: [] };
}

/** A record without a name is known by its path. */
const nameFrom = (path: string): string => path.split('/').at(-1) ?? path;

export const RECORD_READERS: Readonly<Record<EntityCollection, ReadRecord>> = {
  mcp_servers: readServer,
  mcp_agents: readAgent,
  agent_skills: readSkill,
  virtual_servers: readVirtualServer,
};
