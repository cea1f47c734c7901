import { z } from 'zod';
import { STATUSES } from '../../model/entity.ts';
import { pageFacts } from '../../registry/contract/answers.ts';
import { serverRecordSchema, toolSchema } from '../../standards/gateway/server-record.ts';
import { serverVersionsSchema, versionChangedSchema } from '../../standards/gateway/server-versions.ts';
import type { OperationDetails } from '../routes/operation.ts';
import { commonOperations } from './common-operations.ts';
import { bodyFields, messageFields, text } from './shared-schemas.ts';
import { commaList, flag, jsonList, jsonObject, listFields, pathParams } from './wire-fields.ts';

/** A server as clients of the MCP gateway registry send it. Several names map to one field; unknown fields are warnings. */
const serverBodySchema = z.looseObject({
  ...bodyFields,
  name: text.describe('Also `server_name`.'),
  server_name: text,
  description: text,
  proxy_pass_url: text.describe('The address of the server. Required unless `deployment` is `local`.'),
  tags: commaList.nullish(),
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
  provider_organization: text,
  provider_url: text,
  deployment: text,
  local_runtime: jsonObject.nullish(),
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

const serverMessageSchema = z.object({ ...messageFields });

const common = commonOperations({
  one: 'a server',
  record: serverRecordSchema,
  body: serverBodySchema,
});

/** With both names of each field. */
export const toggledServerSchema = z.object({
  message: z.string(),
  path: z.string(),
  is_enabled: z.boolean(),
  service_path: z.string(),
  new_enabled_state: z.boolean(),
});

export const serverOperations = {
  registerServer: {
    summary: 'Register an MCP server',
    description: 'Accepts a form or JSON. Search finds the server at once, unless it is a draft or disabled.',
    body: registrationSchema,
    form: true,
    subject: 'registration',
    responses: { 201: serverMessageSchema },
    errors: ['ALREADY_EXISTS', 'STORE_FULL'],
  },
  toggleServer: {
    summary: 'Enable or disable a server',
    body: z.object({ path: z.string('must be the path of the server'), new_state: flag }),
    form: true,
    responses: { 200: toggledServerSchema },
    errors: ['NOT_FOUND', 'STORE_FULL'],
  },
  removeServer: {
    summary: 'Delete a server',
    body: z.object({ path: z.string('must be the path of the server') }),
    form: true,
    responses: { 200: z.object({ message: z.string(), path: z.string() }) },
    errors: ['NOT_FOUND', 'STORE_FULL'],
  },
  checkServerDuplicates: common.checkDuplicates,
  listMcpServers: {
    summary: 'List servers by name',
    query: z.object({
      ...listFields,
      status: z.enum(STATUSES, `must be one of ${STATUSES.join(', ')}`).optional(),
      enabled_only: flag.default(false),
      include_tools: flag.default(true).describe('Include the tools of each server.'),
    }),
    responses: { 200: z.object({ servers: z.array(serverRecordSchema), ...pageFacts }) },
  },
  listServerTools: {
    summary: 'List the tools of a server',
    params: pathParams,
    responses: {
      200: z.object({ path: z.string(), server_name: z.string(), num_tools: z.int(), tools: z.array(toolSchema) }),
    },
    errors: ['NOT_FOUND'],
  },
  getServerVersions: {
    summary: 'List the versions of a server',
    description: 'Registering a server again with another `version` adds one. Search finds the default version.',
    params: pathParams,
    responses: { 200: serverVersionsSchema },
    errors: ['NOT_FOUND'],
  },
  setDefaultServerVersion: {
    summary: 'Choose the default version of a server',
    params: pathParams,
    body: z.object({ version: z.string('must be a version of the server') }),
    responses: { 200: versionChangedSchema },
    errors: ['NOT_FOUND', 'STORE_FULL'],
  },
  removeServerVersion: {
    summary: 'Remove a version of a server, but not the default one',
    params: pathParams.extend({ version: z.string() }),
    responses: { 200: versionChangedSchema },
    errors: ['NOT_FOUND', 'STORE_FULL'],
  },
  rateServer: common.rate,
  getServerRating: common.rating,
  getServer: common.get,
  putServer: common.put,
  patchServer: common.patch,
  deleteServer: common.delete,
} as const satisfies Record<string, OperationDetails>;
