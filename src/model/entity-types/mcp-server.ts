import { z } from 'zod';
import { STATUSES } from '../entity-parts/names.ts';
import { packageNames } from '../text/identifiers.ts';
import { flattenMetadata, tellingMetadata } from '../text/metadata-text.ts';
import { type EntityTypeDescriptor, PLAIN } from './descriptor.ts';
import { jsonObject, nonEmpty, serverHitFields, sharedFields, strings, text } from './fields.ts';
import { cardOf, introOf, partLines, partUnits } from './make-units.ts';
import { definitionFields, definitionOf } from './tool-definition.ts';
import { toolTexts } from './tool-texts.ts';

/** A tool of a server. `schema` is an older name of `inputSchema`. */
export const toolSchema = z
  .object({
    name: nonEmpty(512),
    description: text(100_000).nullish(),
    inputSchema: jsonObject.nullish(),
    schema: jsonObject.nullish(),
    ...definitionFields,
    examples: strings(100),
  })
  .transform(({ name, schema, inputSchema, description, examples, ...definition }) => {
    const input = inputSchema ?? schema;
    return {
      name,
      examples,
      description: description ?? '',
      ...(input == null ? {} : { inputSchema: input }),
      ...definitionOf(definition),
    };
  });

const schema = z.object({
  type: z.literal('mcp_server'),
  ...sharedFields,
  tools: z.array(toolSchema).max(5000).default([]),
  url: text(2048).optional(),
  mcp_endpoint: text(2048).optional(),
  sse_endpoint: text(2048).optional(),
  supported_transports: strings(20),
  deployment: z.enum(['remote', 'local']).default('remote'),
  local_runtime: jsonObject.optional(),
  provider: text(256).optional(),
  provider_url: text(2048).optional(),
  /** How callers authenticate, such as `none`, `bearer` or `api_key`. */
  auth_scheme: text(64).optional(),
  /** Why it is deprecated, for people. */
  status_message: text(500).optional(),
  /** What a published `server.json` says beyond the fields above: `$schema`, `repository`, `icons` and `_meta`. */
  server_json: jsonObject.optional(),
  /** The ARD entry of its publisher, without its document. */
  ard_entry: jsonObject.optional(),
});

const hit = z.object({
  ...serverHitFields,
  proxy_pass_url: z.string().nullable(),
  mcp_endpoint: z.string().nullable(),
  sse_endpoint: z.string().nullable(),
  supported_transports: z.array(z.string()),
  trust_verified: z.string(),
  deployment: z.enum(['remote', 'local']),
  local_runtime: jsonObject.nullable(),
  status: z.enum(STATUSES),
  metadata: jsonObject.nullable(),
});

const identifiersOf = ({ url, mcp_endpoint, sse_endpoint, repository, ...server }: z.output<typeof schema>) => [
  url,
  mcp_endpoint,
  sse_endpoint,
  repository,
  ...packageNames(server),
];

export const mcpServer = {
  ...PLAIN,
  schema,
  role: 'capability',
  words: ['MCP server', 'MCP servers'],
  group: 'servers',
  hit,
  tools: { list: (server) => server.tools, areHits: true },
  definitions: { list: 'tools', word: 'tool' },
  addresses: ({ url, mcp_endpoint, sse_endpoint }) => [url, mcp_endpoint, sse_endpoint],
  texts: ({ tools }) => tools.flatMap((tool, at) => toolTexts(`tools.${at}`, tool)),
  units(server) {
    const { metadata } = server;
    const tools = partLines(server.tools);
    const embed = [...introOf(server), tools, tellingMetadata(metadata)];
    return [
      cardOf(server, { metadata: flattenMetadata(metadata), tools }, embed, identifiersOf(server)),
      ...partUnits(server, 'tool', server.tools),
    ];
  },
} as const satisfies EntityTypeDescriptor<z.output<typeof schema>>;
