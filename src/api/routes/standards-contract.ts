import { z } from 'zod';
import { ardEntrySchema } from '../../standards/ard/ard-entry.ts';
import {
  ARD_MAX_PAGE,
  ardExploreRequestSchema,
  ardExploreResponseSchema,
  ardListResponseSchema,
  ardManifestSchema,
  ardSearchRequestSchema,
  ardSearchResponseSchema,
} from '../../standards/ard/ard-query.ts';
import { serverListSchema, serverResponseSchema } from '../../standards/official/server-json.ts';
import { type InputOf, type Operation, type OperationDetails, type ReplyOf, withRoutes } from './operation.ts';
import type { Route } from './routes.ts';

const MAX_SERVERS_PAGE = 1000;
const SERVERS_PAGE = 30;

/** A number of the query string, which has text only. */
const wholeNumber = (max: number, fallback: number) => {
  const message = `must be a whole number from 1 to ${max}`;
  return z
    .string()
    .refine((text) => /^\d{1,6}$/.test(text), message)
    .transform(Number)
    .refine((value) => value >= 1 && value <= max, message)
    .default(fallback)
    .meta({ type: 'integer', minimum: 1, maximum: max, default: fallback });
};

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;
const time = z
  .string()
  .refine(
    (text) => RFC_3339.test(text) && !Number.isNaN(Date.parse(text)),
    'must be a time such as 2026-01-31T12:00:00Z',
  );

const serverName = z.string().describe('The name, percent-encoded: the slash is `%2F`.');
const identifier = z.object({ identifier: z.string().describe('The complete identifier, percent-encoded.') });
const anyObject = z.record(z.string(), z.unknown());

/** Routes of public standards, for clients that do not know Dowser. Not part of our own client. */
const STANDARD_ROUTES = {
  listServers: { method: 'GET', path: '/v0.1/servers' },
  listServerVersions: { method: 'GET', path: '/v0.1/servers/{name}/versions' },
  getServerVersion: { method: 'GET', path: '/v0.1/servers/{name}/versions/{version}' },
  registryHealth: { method: 'GET', path: '/v0.1/health' },
  ardSearch: { method: 'POST', path: '/ard/search' },
  ardExplore: { method: 'POST', path: '/ard/explore' },
  ardList: { method: 'GET', path: '/ard/agents' },
  ardGet: { method: 'GET', path: '/ard/agents/{identifier}' },
  ardArtifact: { method: 'GET', path: '/ard/artifacts/{identifier}' },
  gatewayArdSearch: { method: 'POST', path: '/api/ard/search' },
  gatewayArdList: { method: 'GET', path: '/api/ard/agents' },
  ardManifest: { method: 'GET', path: '/.well-known/ard.json' },
  aiCatalog: { method: 'GET', path: '/.well-known/ai-catalog.json' },
  mcpCatalog: { method: 'GET', path: '/.well-known/mcp/catalog.json' },
  serverCard: { method: 'GET', path: '/mcp/server-card' },
  agentCard: { method: 'GET', path: '/.well-known/agent-card.json' },
  a2a: { method: 'POST', path: '/a2a' },
} as const satisfies Record<string, Route>;

const registryOperations = {
  listServers: {
    summary: 'List servers, as the official MCP registry does',
    description: 'Every version of every MCP server that is public, enabled and not a draft, by name.',
    query: z.object({
      cursor: z
        .string()
        .optional()
        .describe('`nextCursor` of the previous page. It carries the other parameters, except `limit`.'),
      limit: wholeNumber(MAX_SERVERS_PAGE, SERVERS_PAGE),
      search: z.string().max(512).optional().describe('A part of the name, then what a search by meaning finds.'),
      updated_since: time.optional().describe('Only servers that were written since then.'),
      version: z.string().max(255).optional().describe('`latest`, or exactly this version.'),
      include_deleted: z
        .enum(['true', 'false'], 'must be true or false')
        .optional()
        .describe('Also servers that are no longer listed. Default: with `updated_since` only.'),
    }),
    responses: { 200: serverListSchema },
  },
  listServerVersions: {
    summary: 'List the versions of a server',
    description: 'The default version first.',
    params: z.object({ name: serverName }),
    responses: { 200: serverListSchema },
    errors: ['NOT_FOUND'],
  },
  getServerVersion: {
    summary: 'Read one version of a server',
    params: z.object({ name: serverName, version: z.string().describe('`latest`, or a version.') }),
    responses: { 200: serverResponseSchema },
    errors: ['NOT_FOUND'],
  },
  registryHealth: {
    summary: 'Whether the registry answers',
    responses: { 200: z.object({ status: z.literal('ok') }) },
  },
} as const satisfies Record<string, OperationDetails>;

const ardFilter = z.string().max(4096);
const ardPaging = {
  orderBy: z
    .string()
    .max(64)
    .default('')
    .describe('`identifier`, `displayName`, `createdAt` or `updatedAt`, with `ASC` or `DESC`.'),
  pageSize: wholeNumber(ARD_MAX_PAGE, 20),
  pageToken: z.string().optional(),
};

const ardOperations = {
  ardSearch: {
    summary: 'Search servers, agents and skills, as ARD',
    body: ardSearchRequestSchema,
    responses: { 200: ardSearchResponseSchema },
    errors: ['EMPTY_SEARCH'],
  },
  ardExplore: {
    summary: 'Count the results of a search by facet',
    body: ardExploreRequestSchema,
    responses: { 200: ardExploreResponseSchema },
  },
  ardList: {
    summary: 'List ARD entries',
    query: z.object({
      filter: ardFilter.default('').describe("Clauses such as `type = '...' AND updatedAfter > '2026-01-01'`."),
      ...ardPaging,
    }),
    responses: { 200: ardListResponseSchema },
  },
  ardGet: {
    summary: 'Read one ARD entry',
    params: identifier,
    responses: { 200: ardEntrySchema, 304: null },
    errors: ['NOT_FOUND'],
  },
  ardArtifact: {
    summary: 'Read the document of an ARD entry: a server card, an agent card or a SKILL.md',
    params: identifier,
    responses: { 200: z.string(), 304: null },
    errors: ['NOT_FOUND'],
  },
  gatewayArdSearch: {
    summary: 'Search servers, agents and skills, as ARD at the address of the MCP gateway registry',
    description: 'The types of the filter may also be entity types, such as `mcp_server`.',
    body: ardSearchRequestSchema,
    responses: { 200: ardSearchResponseSchema },
    errors: ['EMPTY_SEARCH'],
  },
  gatewayArdList: {
    summary: 'List ARD entries, at the address of the MCP gateway registry',
    query: z.object({
      filter: z
        .union([ardFilter, z.array(ardFilter).max(100)])
        .transform((value) => (typeof value === 'string' ? [value] : value))
        .optional()
        .describe('`type=mcp_server` or `tags=finance`, may be repeated; or clauses, as on the route of ARD.'),
      ...ardPaging,
    }),
    responses: { 200: ardListResponseSchema },
  },
} as const satisfies Record<string, OperationDetails>;

const wellKnownOperations = {
  ardManifest: {
    summary: 'The ARD manifest of this host',
    responses: { 200: ardManifestSchema },
  },
  aiCatalog: {
    summary: 'Every public server, agent and skill, as an AI Catalog',
    responses: { 200: z.string() },
  },
  mcpCatalog: {
    summary: 'Every public MCP server, as an MCP catalog',
    responses: {
      200: z.object({
        specVersion: z.literal('draft'),
        entries: z.array(ardEntrySchema.pick({ identifier: true, displayName: true, type: true, url: true })),
      }),
    },
  },
  serverCard: {
    summary: "Dowser's own MCP server card",
    responses: { 200: z.string() },
  },
  agentCard: {
    summary: "Dowser's own A2A agent card",
    responses: { 200: anyObject },
  },
} as const satisfies Record<string, OperationDetails>;

const a2aOperations = {
  a2a: {
    summary: 'Send a message to Dowser as an A2A agent (JSON-RPC)',
    body: z.unknown(),
    responses: { 200: anyObject },
  },
} as const satisfies Record<string, OperationDetails>;

export const standardsContract = {
  ...withRoutes('mcp registry', registryOperations, STANDARD_ROUTES),
  ...withRoutes('ard', ardOperations, STANDARD_ROUTES),
  ...withRoutes('well-known', wellKnownOperations, STANDARD_ROUTES),
  ...withRoutes('a2a', a2aOperations, STANDARD_ROUTES),
} satisfies Record<keyof typeof STANDARD_ROUTES, Operation>;

export type StandardName = keyof typeof standardsContract;
export const STANDARD_NAMES = Object.keys(standardsContract) as readonly StandardName[];

/** Publishing routes of the official registry. Publish here with `PUT /api/entities`. */
export const UNSUPPORTED_ROUTES = [
  { method: 'POST', path: '/v0.1/publish' },
  { method: 'PUT', path: '/v0.1/servers/{name}/versions/{version}' },
  { method: 'DELETE', path: '/v0.1/servers/{name}/versions/{version}' },
  { method: 'PATCH', path: '/v0.1/servers/{name}/status' },
  { method: 'PATCH', path: '/v0.1/servers/{name}/versions/{version}/status' },
] as const;

type Contract = typeof standardsContract;
export type StandardInput<N extends StandardName> = InputOf<Contract[N]>;

/** The context of a request, besides its input. */
export interface RequestFacts {
  /** The address of the request, such as `http://localhost:7470`. */
  readonly origin: string;
  /** The header `A2A-Version`, or the parameter of that name. */
  readonly a2aVersion: string | undefined;
}

type StandardReply<N extends StandardName> = ReplyOf<Contract[N]> & {
  readonly headers?: Readonly<Record<string, string>>;
};

export type StandardHandlers = {
  readonly [N in StandardName]: (input: StandardInput<N>, request: RequestFacts) => Promise<StandardReply<N>>;
};
