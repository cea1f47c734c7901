import { z } from 'zod';
import { STATUSES } from '../../model/entity.ts';
import { pageFacts, warnings } from '../../registry/answers.ts';
import type { Operation } from '../contract.ts';
import { commonOperations } from './common-operations.ts';
import { SERVER_ROUTES } from './operation-routes.ts';
import { messageFields, recordFields } from './shared-schemas.ts';
import {
  commaList,
  flag,
  jsonList,
  jsonObject,
  metadataFields,
  metadataSchema,
  paging,
  pathParams,
  substring,
} from './wire-fields.ts';

const text = z.string().nullish();

/** A server as clients of the MCP gateway registry send it. Several names map to one field; unknown fields are warnings. */
const serverBodySchema = z.looseObject({
  name: text.describe('Also `server_name`.'),
  server_name: text,
  description: text,
  proxy_pass_url: text.describe('The address of the server. Required unless `deployment` is `local`.'),
  tags: commaList.nullish(),
  license: text,
  auth_scheme: text,
  transport: text,
  supported_transports: commaList.nullish(),
  tool_list_json: jsonList
    .nullish()
    .describe('The tools, as JSON text or a list. `tool_list` and `tools` are aliases.'),
  tool_list: jsonList.nullish(),
  tools: jsonList.nullish(),
  mcp_endpoint: text,
  sse_endpoint: text,
  metadata: jsonObject.nullish(),
  version: text,
  status: text,
  is_enabled: flag.nullish(),
  provider_organization: text,
  provider_url: text,
  visibility: text,
  allowed_groups: commaList.nullish(),
  deployment: text,
  local_runtime: jsonObject.nullish(),
  owner: text,
  homepage: text,
  repository: text,
});

const registrationSchema = z.looseObject({
  ...serverBodySchema.shape,
  name: z.string('must be the name of the server'),
  description: z.string('must say what the server does'),
  path: z.string('must be the path of the server').describe('Such as `/context7`. A missing leading slash is added.'),
  overwrite: flag.default(true).describe('Replace an entity at the path. With false, a path in use gets status 409.'),
});

const toolSchema = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: metadataSchema.exactOptional(),
  examples: z.array(z.string()).exactOptional().describe('Example requests.'),
});

const serverRecordSchema = z.object({
  server_name: z.string(),
  display_name: z.string(),
  ...recordFields,
  proxy_pass_url: z.string().nullable(),
  mcp_endpoint: z.string().nullable(),
  sse_endpoint: z.string().nullable(),
  supported_transports: z.array(z.string()),
  auth_scheme: z.string().nullable(),
  deployment: z.enum(['remote', 'local']),
  local_runtime: metadataSchema.nullable(),
  provider: z.string().nullable(),
  provider_url: z.string().nullable(),
  homepage: z.string().nullable(),
  repository: z.string().nullable(),
  num_tools: z.int(),
  tool_list: z.array(toolSchema).exactOptional(),
  warnings: warnings.exactOptional(),
});

const serverMessageSchema = z.object({ ...messageFields, warnings });

const common = commonOperations({
  tag: 'servers',
  one: 'a server',
  record: serverRecordSchema,
  body: serverBodySchema,
});

export const serverOperations = {
  registerServer: {
    ...SERVER_ROUTES.registerServer,
    tag: 'servers',
    summary: 'Register an MCP server',
    description: 'Accepts a form or JSON. Search finds the server at once, unless it is a draft or disabled.',
    body: registrationSchema,
    form: true,
    subject: 'registration',
    responses: { 201: serverMessageSchema },
    errors: ['ALREADY_EXISTS', 'STORE_FULL'],
  },
  toggleServer: {
    ...SERVER_ROUTES.toggleServer,
    tag: 'servers',
    summary: 'Enable or disable a server',
    body: z.object({ path: z.string('must be the path of the server'), new_state: flag }),
    form: true,
    responses: {
      200: z.object({
        message: z.string(),
        path: z.string(),
        is_enabled: z.boolean(),
        service_path: z.string(),
        new_enabled_state: z.boolean(),
      }),
    },
    errors: ['NOT_FOUND', 'STORE_FULL'],
  },
  removeServer: {
    ...SERVER_ROUTES.removeServer,
    tag: 'servers',
    summary: 'Delete a server',
    body: z.object({ path: z.string('must be the path of the server') }),
    form: true,
    responses: { 200: z.object({ message: z.string(), path: z.string() }) },
    errors: ['NOT_FOUND', 'STORE_FULL'],
  },
  checkServerDuplicates: { ...SERVER_ROUTES.checkServerDuplicates, ...common.checkDuplicates },
  listMcpServers: {
    ...SERVER_ROUTES.listMcpServers,
    tag: 'servers',
    summary: 'List servers by name',
    query: z.object({
      query: substring,
      status: z.enum(STATUSES, `must be one of ${STATUSES.join(', ')}`).optional(),
      enabled_only: flag.default(false),
      include_tools: flag.default(true).describe('Include the tools of each server.'),
      metadata_fields: metadataFields,
      ...paging,
    }),
    responses: { 200: z.object({ servers: z.array(serverRecordSchema), ...pageFacts }) },
    errors: [],
  },
  listServerTools: {
    ...SERVER_ROUTES.listServerTools,
    tag: 'servers',
    summary: 'List the tools of a server',
    params: pathParams,
    responses: {
      200: z.object({ path: z.string(), server_name: z.string(), num_tools: z.int(), tools: z.array(toolSchema) }),
    },
    errors: ['NOT_FOUND'],
  },
  rateServer: { ...SERVER_ROUTES.rateServer, ...common.rate },
  getServerRating: { ...SERVER_ROUTES.getServerRating, ...common.rating },
  getServer: { ...SERVER_ROUTES.getServer, ...common.get },
  putServer: { ...SERVER_ROUTES.putServer, ...common.put },
  patchServer: { ...SERVER_ROUTES.patchServer, ...common.patch },
  deleteServer: { ...SERVER_ROUTES.deleteServer, ...common.delete },
} as const satisfies Record<keyof typeof SERVER_ROUTES, Operation>;
