import { z } from 'zod';
import { connectConfigSchema } from '../../standards/gateway/connect-config.ts';
import {
  authConfigSchema,
  authProvidersSchema,
  configSchema,
  csrfTokenSchema,
  serverHealthSchema,
  statsSchema,
  userSchema,
  versionSchema,
} from '../../standards/gateway/front-end.ts';
import { serverRecordSchema, toolSchema } from '../../standards/gateway/server-record.ts';
import { serverDetailSchema } from '../../standards/official/server-json.ts';
import type { OperationDetails } from '../routes/operation.ts';
import { serverOperations, toggledServerSchema } from './server-operations.ts';
import { flag, pathParams } from './wire-fields.ts';

const path = z.string().min(1, 'must not be empty').describe('The path, or `all` for every server.');
const listedTool = z.looseObject({ ...toolSchema.shape, server_path: z.string() });

/** Routes that only the clients and the web page of the MCP gateway registry use. */
export const gatewayOperations = {
  listServerHealth: {
    summary: 'Report the health of every server',
    description: 'The result of the last check of each server. Nothing is checked now.',
    responses: { 200: serverHealthSchema },
  },
  getConnectConfig: {
    summary: 'Read the client configuration of a server',
    params: pathParams,
    responses: { 200: connectConfigSchema },
    errors: ['NOT_FOUND'],
  },
  getServerJson: {
    summary: 'Read a server as the server.json of the official MCP registry',
    params: pathParams,
    responses: { 200: serverDetailSchema },
    errors: ['NOT_FOUND'],
  },
  getConfig: { summary: 'Read what this registry supports', responses: { 200: configSchema } },
  getVersion: { summary: 'Read the version of Dowser', responses: { 200: versionSchema } },
  getStats: { summary: 'Count servers, agents and skills', responses: { 200: statsSchema } },
  getUser: {
    summary: 'Read who is asking',
    description: '`anonymous` where no credentials are needed.',
    responses: { 200: userSchema },
  },
  getCsrfToken: { summary: 'Get a token for forms', responses: { 200: csrfTokenSchema } },
  getAuthConfig: {
    summary: 'Read where to sign in',
    description:
      'At Dowser nowhere: see [access](access.md). `sign_in` is what the web page needs to sign people in at the issuer.',
    responses: { 200: authConfigSchema },
  },
  listAuthProviders: { summary: 'List the ways to sign in', responses: { 200: authProvidersSchema } },
  getServerDetails: {
    summary: 'Read a server, or all of them by path',
    params: z.object({ path }),
    responses: { 200: z.union([serverRecordSchema, z.record(z.string(), serverRecordSchema)]) },
    errors: ['NOT_FOUND'],
  },
  getServerTools: {
    summary: 'List the tools of a server, or of all of them',
    params: z.object({ path }),
    responses: { 200: z.object({ service_path: z.string(), tools: z.array(listedTool), num_tools: z.int() }) },
    errors: ['NOT_FOUND'],
  },
  refreshServer: {
    summary: 'Read the tools of a server at its address now',
    description: 'A server that does not answer is reported as `unhealthy`. A command is never started.',
    params: pathParams,
    responses: {
      200: z.object({
        message: z.string(),
        service_path: z.string(),
        status: z.enum(['healthy', 'unhealthy', 'unknown']),
        health_error: z.string().nullable(),
        last_checked_iso: z.string().nullable(),
        num_tools: z.int(),
      }),
    },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'STORE_FULL'],
  },
  toggleServerByForm: {
    summary: 'Enable or disable a server by a form',
    description: 'Without `enabled`, the server is disabled: browsers leave out an empty checkbox.',
    params: pathParams,
    body: z.object({ enabled: flag.default(false) }),
    form: true,
    responses: { 200: toggledServerSchema },
    errors: ['NOT_FOUND', 'STORE_FULL'],
  },
  editServer: {
    summary: 'Change some fields of a server by a form',
    params: pathParams,
    body: serverOperations.patchServer.body,
    form: true,
    responses: { 200: serverRecordSchema },
    errors: ['NOT_FOUND', 'STORE_FULL'],
  },
  registerServerByForm: {
    ...serverOperations.registerServer,
    summary: 'Register an MCP server by a form',
    description: 'The same as `POST /api/servers/register`.',
  },
  ping: {
    summary: 'Answer that the server runs',
    responses: { 200: z.object({ status: z.literal('healthy'), service: z.string(), version: z.string() }) },
  },
} as const satisfies Record<string, OperationDetails>;
