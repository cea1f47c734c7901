import { z } from 'zod';
import { toolMappingSchema } from '../../model/entity-types/virtual-server.ts';
import { isJsonObject, withoutNulls } from '../../model/json/json-object.ts';
import { pageFacts } from '../../registry/contract/answers.ts';
import { scopeOverrides, virtualServerRecordSchema } from '../../standards/gateway/virtual-server-record.ts';
import type { OperationDetails } from '../routes/operation.ts';
import { commonOperations } from './common-operations.ts';
import { bodyFields, registeredMessage, text, toggleBody } from './shared-schemas.ts';
import { commaList, flag, listFields, metadataSchema, paging, pathParams } from './wire-fields.ts';

/** Limits of virtual servers in the MCP gateway registry, lower than those of entities in general. */
const MAX_NAME = 128;
const MAX_DESCRIPTION = 2048;
const MAX_TAGS = 50;
const MAX_TAG_CHARS = 64;
const MAX_MAPPINGS = 500;

const serverName = z
  .string('must be the name of the virtual server')
  .max(MAX_NAME, `must have at most ${MAX_NAME} characters`)
  .refine((name) => name.trim() !== '', 'must not be empty');
const tags = commaList.pipe(
  z
    .array(z.string().max(MAX_TAG_CHARS, `must have at most ${MAX_TAG_CHARS} characters`))
    .max(MAX_TAGS, `must have at most ${MAX_TAGS} tags`),
);
/** Clients send null for an absent field. */
const mapping = z.preprocess(
  (value) => (isJsonObject(value) ? withoutNulls(value) : value),
  toolMappingSchema.omit({ inherited: true }),
);
const mappings = z
  .array(mapping, 'must be a list of tool mappings')
  .max(MAX_MAPPINGS, `must have at most ${MAX_MAPPINGS} mappings`);

const virtualServerBodySchema = z.looseObject({
  ...bodyFields,
  server_name: serverName.nullish(),
  description: z.string().max(MAX_DESCRIPTION, `must have at most ${MAX_DESCRIPTION} characters`).nullish(),
  tool_mappings: mappings
    .nullish()
    .describe('A mapping without `description_override` has the description of its tool.'),
  tags: tags.nullish(),
  required_scopes: z.array(z.string()).nullish(),
  tool_scope_overrides: scopeOverrides.nullish(),
  supported_transports: commaList.nullish(),
  created_by: text,
});

const creationSchema = z.looseObject({
  ...virtualServerBodySchema.shape,
  server_name: serverName,
  path: z.string().exactOptional().describe('`/virtual/<slug>`. Default: derived from the name.'),
  overwrite: flag.default(false),
});

const virtualToolSchema = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: metadataSchema.nullable(),
  tool_name: z.string().describe('The name of the tool at the backend.'),
  backend_server_path: z.string(),
  backend_version: z.string().nullable(),
  available: z.boolean().describe('Whether the backend is registered and has the tool.'),
});

const catalogEntrySchema = z.object({
  tool_name: z.string(),
  server_path: z.string(),
  server_name: z.string(),
  description: z.string(),
  input_schema: metadataSchema,
  available_versions: z.array(z.string()),
});

const common = commonOperations({
  one: 'a virtual server',
  record: virtualServerRecordSchema,
  body: virtualServerBodySchema,
  subject: 'virtual server',
});

export const virtualServerOperations = {
  createVirtualServer: {
    summary: 'Create a virtual server from tools of other servers',
    description: 'An unknown backend or tool is a warning, not an error: it may be registered later.',
    body: creationSchema,
    subject: 'virtual server',
    responses: { 201: z.object({ ...virtualServerRecordSchema.shape, message: registeredMessage }) },
    errors: ['ALREADY_EXISTS', 'STORE_FULL'],
  },
  checkVirtualServerDuplicates: common.checkDuplicates,
  listVirtualServers: {
    summary: 'List virtual servers by name',
    query: z.object({
      ...listFields,
      enabled_only: flag.default(false),
      tag: z.string().max(512).optional().describe('Only with this tag. Ignores case.'),
    }),
    responses: {
      200: z.object({
        virtual_servers: z.array(virtualServerRecordSchema),
        total: z.int().describe('The same as `total_count`.'),
        ...pageFacts,
      }),
    },
  },
  listVirtualServerTools: {
    summary: 'List the tools of a virtual server, as its backends describe them',
    params: pathParams,
    responses: {
      200: z.object({
        path: z.string(),
        server_name: z.string(),
        num_tools: z.int(),
        tools: z.array(virtualToolSchema),
      }),
    },
    errors: ['NOT_FOUND'],
  },
  toggleVirtualServer: { ...common.toggle, body: toggleBody },
  rateVirtualServer: common.rate,
  getVirtualServerRating: common.rating,
  getVirtualServer: common.get,
  putVirtualServer: {
    ...common.put,
    description: 'The virtual server must exist. Missing fields get their defaults.',
  },
  patchVirtualServer: common.patch,
  deleteVirtualServer: common.delete,
  listToolCatalog: {
    summary: 'List every tool that a virtual server can map',
    query: z.object({
      server_path: z.string().max(512).optional().describe('Only the tools of this server.'),
      query: z.string().max(512).default('').describe('A substring of the name or description. Ignores case.'),
      ...paging,
    }),
    responses: { 200: z.object({ tools: z.array(catalogEntrySchema), server_count: z.int(), ...pageFacts }) },
  },
} as const satisfies Record<string, OperationDetails>;
