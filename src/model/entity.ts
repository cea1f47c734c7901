import { z } from 'zod';
import { DowserError } from './errors.ts';
import { meantField } from './meant-name.ts';
import { parseWith, showValue } from './parse.ts';
import { promptLikeParts } from './prompt-like.ts';

/** The entity types, by their names in the API. */
export const ENTITY_TYPES = [
  'mcp_server',
  'tool',
  'virtual_server',
  'a2a_agent',
  'skill',
  'package',
  'memory',
  'document',
] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

export const STATUSES = ['active', 'beta', 'deprecated', 'draft'] as const;
export type Status = (typeof STATUSES)[number];

export const VISIBILITIES = ['public', 'private', 'group-restricted'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** `type:path`. A path is unique within its type. */
export type EntityId = string & { readonly __brand: 'EntityId' };

export function entityId(type: EntityType, path: string): EntityId {
  return `${type}:${path}` as EntityId;
}

export function splitEntityId(id: EntityId): { readonly type: EntityType; readonly path: string } {
  const colon = id.indexOf(':');
  const type = id.slice(0, colon) as EntityType;
  // Interned: tens of thousands of equal strings would take memory, and time to compare.
  return { type: ENTITY_TYPES[ENTITY_TYPES.indexOf(type)] ?? type, path: id.slice(colon + 1) };
}

/** Whether a text has the format of an entity id. */
function isEntityId(text: string): boolean {
  const colon = text.indexOf(':');
  return colon !== -1 && colon + 1 < text.length && isEntityType(text.slice(0, colon));
}

/**
 * The cursor of a page: the id of the last entity of the previous page. Any other text is refused, because it would silently
 * give a wrong page.
 */
export const cursorSchema = z
  .string()
  .max(4096)
  .refine(isEntityId, 'must be the cursor of the previous page, unchanged');

const text = (max: number) => z.string().max(max, `must have at most ${max} characters`);
const nonEmpty = (max: number) => text(max).refine((s) => s.trim() !== '', 'must not be empty');
const strings = (max: number) => z.array(text(512)).max(max).default([]);

/** Ids of other systems become paths, so nearly every character is allowed, except control characters and outer spaces. */
export const pathSchema = nonEmpty(512).refine(
  (s) => s.trim() === s && !/\p{Cc}/u.test(s),
  'must have no control characters and no spaces at its ends',
);

const statusSchema = z
  .string()
  .transform((s) => s.toLowerCase())
  .pipe(z.enum(STATUSES, `must be one of ${STATUSES.join(', ')}`));

const visibilitySchema = z
  .string()
  .transform((s) => (s.toLowerCase() === 'group' ? 'group-restricted' : s.toLowerCase()))
  .pipe(z.enum(VISIBILITIES, `must be one of ${VISIBILITIES.join(', ')}`));

const metadataSchema = z.record(z.string(), z.unknown());

const common = {
  path: pathSchema,
  name: nonEmpty(1024),
  description: text(100_000).default(''),
  tags: strings(200),
  metadata: metadataSchema.default({}),
  status: statusSchema.default('active'),
  is_enabled: z.boolean().default(true),
  visibility: visibilitySchema.default('public'),
  owner: text(256).optional(),
  allowed_groups: strings(50),
  version: text(128).optional(),
  license: text(128).optional(),
  homepage: text(2048).optional(),
  repository: text(2048).optional(),
};

const jsonSchemaObject = z.record(z.string(), z.unknown());

/** A tool of a server. `schema` is an older name of `inputSchema`. */
export const toolSchema = z
  .object({
    name: nonEmpty(512),
    description: text(100_000).nullish(),
    inputSchema: jsonSchemaObject.nullish(),
    schema: jsonSchemaObject.nullish(),
    examples: strings(100),
  })
  .transform(({ schema, inputSchema, description, ...rest }) => {
    const input = inputSchema ?? schema;
    return { ...rest, description: description ?? '', ...(input == null ? {} : { inputSchema: input }) };
  });
export type Tool = z.output<typeof toolSchema>;

const agentSkillSchema = z.object({
  id: text(512).default(''),
  name: nonEmpty(512),
  description: text(100_000).default(''),
  tags: strings(100),
  examples: strings(100),
});

export const toolMappingSchema = z.object({
  tool_name: nonEmpty(512),
  alias: text(512).optional(),
  backend_server_path: nonEmpty(512),
  backend_version: text(128).optional(),
  description_override: text(1024).optional(),
  /** The description and schema of the backend's tool. Set by the registry; a caller's value is ignored. */
  inherited: z.object({ description: text(100_000), inputSchema: jsonSchemaObject.optional() }).optional(),
});
export type ToolMapping = z.output<typeof toolMappingSchema>;

const relationSchema = z.object({
  type: nonEmpty(64),
  target: nonEmpty(512),
  weight: z.number().min(0).default(1),
});

const mcpServerSchema = z.object({
  type: z.literal('mcp_server'),
  ...common,
  tools: z.array(toolSchema).max(5000).default([]),
  url: text(2048).optional(),
  mcp_endpoint: text(2048).optional(),
  sse_endpoint: text(2048).optional(),
  supported_transports: strings(20),
  deployment: z.enum(['remote', 'local']).default('remote'),
  local_runtime: metadataSchema.optional(),
  provider: text(256).optional(),
  provider_url: text(2048).optional(),
  /** How callers authenticate, such as `none`, `bearer` or `api_key`. */
  auth_scheme: text(64).optional(),
});

const standaloneToolSchema = z.object({
  type: z.literal('tool'),
  ...common,
  inputSchema: jsonSchemaObject.optional(),
  server_path: text(512).optional(),
  examples: strings(100),
});

const virtualServerSchema = z.object({
  type: z.literal('virtual_server'),
  ...common,
  tool_mappings: z.array(toolMappingSchema).max(500).default([]),
  required_scopes: strings(50),
  tool_scope_overrides: z
    .array(z.object({ tool_alias: nonEmpty(512), required_scopes: strings(50) }))
    .max(500)
    .default([]),
  supported_transports: strings(20),
  created_by: text(256).optional(),
});

const a2aAgentSchema = z.object({
  type: z.literal('a2a_agent'),
  ...common,
  url: text(2048).optional(),
  provider: text(256).optional(),
  protocol_version: text(32).optional(),
  capabilities: z.record(z.string(), z.unknown()).default({}),
  skills: z.array(agentSkillSchema).max(500).default([]),
  trust_level: text(64).optional(),
  /** The published card in the format of A2A 1.0, with more than the fields above. */
  card: metadataSchema.optional(),
});

const skillSchema = z.object({
  type: z.literal('skill'),
  ...common,
  body: text(1_000_000).default(''),
  author: text(256).optional(),
  compatibility: text(500).optional(),
  target_agents: strings(50),
  allowed_tools: strings(200),
  skill_md_url: text(2048).optional(),
  skill_md_raw_url: text(2048).optional(),
  registry_name: text(256).optional(),
});

const packageSchema = z.object({
  type: z.literal('package'),
  ...common,
  ecosystem: text(64).optional(),
  package_name: text(256).optional(),
  language: text(64).optional(),
  languages: strings(20),
  category: text(128).optional(),
  deployment: strings(10),
  install: text(1024).optional(),
  relations: z.array(relationSchema).max(500).default([]),
  health: metadataSchema.optional(),
});

const memorySchema = z.object({
  type: z.literal('memory'),
  ...common,
  name: text(1024).default(''),
  content: nonEmpty(1_000_000),
  memory_type: text(64).optional(),
});

const documentSchema = z.object({
  type: z.literal('document'),
  ...common,
  name: text(1024).default(''),
  body: text(20_000_000).default(''),
  source_url: text(2048).optional(),
});

const SCHEMAS = {
  mcp_server: mcpServerSchema,
  tool: standaloneToolSchema,
  virtual_server: virtualServerSchema,
  a2a_agent: a2aAgentSchema,
  skill: skillSchema,
  package: packageSchema,
  memory: memorySchema,
  document: documentSchema,
} as const satisfies Record<EntityType, z.ZodObject>;

export const entitySchema = z.discriminatedUnion('type', [
  mcpServerSchema,
  standaloneToolSchema,
  virtualServerSchema,
  a2aAgentSchema,
  skillSchema,
  packageSchema,
  memorySchema,
  documentSchema,
]);

export type Entity = z.output<typeof entitySchema>;
export type EntityInput = z.input<typeof entitySchema>;
export type EntityOf<T extends EntityType> = Extract<Entity, { type: T }>;
export type McpServer = EntityOf<'mcp_server'>;
export type StandaloneTool = EntityOf<'tool'>;
export type VirtualServer = EntityOf<'virtual_server'>;
export type A2aAgent = EntityOf<'a2a_agent'>;
export type Skill = EntityOf<'skill'>;
export type Package = EntityOf<'package'>;
export type Memory = EntityOf<'memory'>;
export type DocumentEntity = EntityOf<'document'>;

export function idOf(entity: Pick<Entity, 'type' | 'path'>): EntityId {
  return entityId(entity.type, entity.path);
}

export function isEntityType(value: unknown): value is EntityType {
  return (ENTITY_TYPES as readonly unknown[]).includes(value);
}

export function parseEntityType(value: unknown): EntityType {
  if (isEntityType(value)) return value;
  const message = value === undefined ? "'type' is missing." : `Unknown entity type ${showValue(value)}.`;
  throw new DowserError('UNKNOWN_TYPE', message, {
    field: 'type',
    hint: `Use one of ${ENTITY_TYPES.join(', ')}.`,
    details: { allowed: ENTITY_TYPES },
  });
}

export interface ParsedEntity {
  readonly entity: Entity;
  /** What was accepted but not used, such as an unknown field. */
  readonly warnings: readonly string[];
}

/** More than any real document has. */
const MAX_DEPTH = 100;

/** Stored values must be valid JSON: no deep nesting, no functions, no bigints. */
function checkJson(value: unknown, path: string, above: readonly unknown[]): void {
  if (value === null || typeof value !== 'object') {
    if (typeof value !== 'bigint' && typeof value !== 'function' && typeof value !== 'symbol') return;
    throw new DowserError(
      'INVALID_REQUEST',
      `'${path}' of the entity is a ${typeof value}, which is not allowed in JSON.`,
      {
        field: path,
      },
    );
  }
  if (above.length > MAX_DEPTH || above.includes(value)) {
    const field = path.split('.').slice(0, 3).join('.');
    throw new DowserError(
      'INVALID_REQUEST',
      `'${field}' of the entity nests deeper than ${MAX_DEPTH} levels or contains itself.`,
      {
        field,
      },
    );
  }
  const inside = [...above, value];
  for (const [key, item] of Object.entries(value)) {
    if (
      typeof item === 'object' ||
      typeof item === 'bigint' ||
      typeof item === 'function' ||
      typeof item === 'symbol'
    ) {
      checkJson(item, path === '' ? key : `${path}.${key}`, inside);
    }
  }
}

/** Suggestions are made for the first unknown fields only: a body may have a million. */
const MAX_GUESSED = 20;

/** A warning for each unknown field. A field that is already set cannot be the one that was meant. */
function unknownFields(input: object, type: EntityType): string[] {
  const fields = Object.keys(SCHEMAS[type].shape);
  const known = new Set(fields);
  const unknown = Object.keys(input).filter((key) => !known.has(key));
  if (unknown.length === 0) return unknown;
  const open = fields.filter((field) => !Object.hasOwn(input, field));
  return unknown.map((key, at) => {
    const meant = at < MAX_GUESSED ? meantField(key, open) : undefined;
    const hint = meant === undefined ? '' : ` Did you mean '${meant}'?`;
    return `Unknown field '${key}' of ${type} was ignored.${hint}`;
  });
}

/** Parses one entity. Unknown fields are dropped with a warning: they are usually typing mistakes. */
export function parseEntity(input: unknown): ParsedEntity {
  if (input === null || typeof input !== 'object' || Array.isArray(input)) {
    throw new DowserError('INVALID_REQUEST', `An entity must be a JSON object, not ${showValue(input)}.`);
  }
  const type = parseEntityType((input as { type?: unknown }).type);
  const schema = SCHEMAS[type];
  checkJson(input, '', []);
  const entity = parseWith(schema, input, `${type} entity`) as Entity;
  const warnings = unknownFields(input, type);
  for (const { field, phrase } of promptLikeParts(entity)) {
    warnings.push(`'${field}' looks like prompt injection (${showValue(phrase)}). It is stored and shown as data.`);
  }
  return { entity, warnings };
}
