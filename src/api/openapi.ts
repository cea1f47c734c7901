import { z } from 'zod';
import { foundChunksSchema, foundInCollectionSchema } from '../documents/contract/document-answers.ts';
import { explanationSchema } from '../model/answer/result.ts';
import type { Right } from '../model/caller/caller.ts';
import { entitySchema } from '../model/entity.ts';
import { toolSchema } from '../model/entity-types/mcp-server.ts';
import { ERROR_CODES, type ErrorCode } from '../model/errors/errors.ts';
import { batchResultSchema, healthSchema, putResultSchema, taggedRecordSchema } from '../registry/contract/answers.ts';
import { ardEntrySchema } from '../standards/ard/ard-entry.ts';
import { ardErrorSchema } from '../standards/ard/ard-query.ts';
import { serverListSchema, serverResponseSchema } from '../standards/official/server-json.ts';
import { contract } from './contract.ts';
import { entityBodySchema, entityInputSchema } from './operations/registry-schemas.ts';
import { BODY_ERRORS, type Operation, SHARED_ERRORS } from './routes/operation.ts';
import { OPERATION_RIGHTS, STANDARD_RIGHTS } from './routes/rights.ts';
import { standardsContract } from './routes/standards-contract.ts';
import { errorBodySchema } from './wire/error-body.ts';

type Json = Record<string, unknown>;
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** `mcp_server` -> `McpServer` */
const pascal = (snake: string) => snake.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A stored tool. `toolSchema` accepts two spellings and returns one, which its input schema cannot express. */
const storedToolSchema = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()).optional(),
  examples: z.array(z.string()),
});

/** Replacements for schemas that JSON Schema cannot express. */
const STAND_INS = new Map<unknown, Json>([
  [entityBodySchema, ref('EntityBody')],
  [entityInputSchema, ref('EntityInput')],
  [toolSchema, ref('StoredTool')],
]);

/** The named schemas of answers. */
const ANSWERS = {
  SearchResponse: contract.search.responses[200],
  FoundChunks: foundChunksSchema,
  FoundInCollection: foundInCollectionSchema,
  Explanation: explanationSchema,
  StoredTool: storedToolSchema,
  Entity: entitySchema,
  EntityRecord: taggedRecordSchema,
  PutResult: putResultSchema,
  BatchResult: batchResultSchema,
  Health: healthSchema,
  Error: errorBodySchema,
  ServerResponse: serverResponseSchema,
  ServerList: serverListSchema,
  RegistryError: z.object({ error: z.string() }),
  ArdEntry: ardEntrySchema,
  ArdError: ardErrorSchema,
  JsonRpcError: z.object({
    jsonrpc: z.literal('2.0'),
    id: z.null(),
    error: z.object({ code: z.int(), message: z.string(), data: z.array(z.unknown()).optional() }),
  }),
};

function toSchemas(named: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output'): Record<string, Json> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io,
    unrepresentable: 'any',
    uri: (id) => `#/components/schemas/${id}`,
    override({ zodSchema, jsonSchema }) {
      const json = jsonSchema as Json;
      const standIn = STAND_INS.get(zodSchema);
      if (standIn !== undefined && (io === 'output' || zodSchema !== toolSchema)) {
        for (const key of Object.keys(json)) delete json[key];
        Object.assign(json, standIn);
      }
      // Answers may get new fields. The limits of integers are those of JavaScript, not of the API.
      if (json.additionalProperties === false) delete json.additionalProperties;
      if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
      if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
    },
  });
  for (const schema of Object.values(schemas) as Json[]) {
    delete schema.$schema;
    delete schema.$id;
  }
  return schemas as Record<string, Json>;
}

function components(): Record<string, Json> {
  const bodies: Record<string, z.ZodType> = {};
  const types: string[] = [];
  for (const schema of entitySchema.options) {
    const type = pascal(schema.shape.type.value);
    types.push(type);
    bodies[`${type}Body`] = (schema as z.ZodObject).partial({ type: true, path: true });
  }
  return {
    ...toSchemas({ SearchRequest: contract.search.body, Tool: toolSchema, ...bodies }, 'input'),
    EntityBody: { anyOf: types.map((type) => ref(`${type}Body`)) },
    EntityInput: {
      oneOf: types.map((type) => ({ allOf: [ref(`${type}Body`)], required: ['type', 'path'] })),
    },
    ...toSchemas(ANSWERS, 'output'),
  };
}

/** A reference for a named schema; any other schema is inlined. */
const NAMES = new Map<unknown, string>([
  [contract.search.body, 'SearchRequest'],
  [entityBodySchema, 'EntityBody'],
  [entityInputSchema, 'EntityInput'],
  ...Object.entries(ANSWERS).map(([name, schema]) => [schema, name] as const),
]);

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const name = NAMES.get(schema);
  return name === undefined ? toSchemas({ it: schema }, io).it! : ref(name);
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query' | 'header'): Json[] {
  if (schema === undefined) return [];
  return Object.entries(schema.shape).map(([name, field]) => {
    const { description, ...rest } = schemaOf(field as z.ZodType, 'input');
    return {
      name,
      in: place,
      required: place === 'path',
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

/** The error schemas of standard routes, by tag. Other routes have our own. */
const STANDARD_ERRORS: Readonly<Record<string, string>> = {
  'mcp registry': 'RegistryError',
  ard: 'ArdError',
  a2a: 'JsonRpcError',
};

function errorResponses(codes: readonly ErrorCode[], tag: string): Record<string, Json> {
  const foreign = STANDARD_ERRORS[tag];
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...new Set(codes)].sort()) {
    const own = ERROR_CODES[code].http;
    const http = foreign !== undefined && own === 422 ? 400 : own;
    byStatus.set(http, [...(byStatus.get(http) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => [
      String(status),
      {
        description: same.map((code) => `\`${code}\`: ${ERROR_CODES[code].title}.`).join(' '),
        content: { 'application/json': { schema: ref(foreign ?? 'Error') } },
      },
    ]),
  );
}

const REASONS: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted. The work goes on.',
  204: 'Done. No content.',
  304: 'Not changed.',
};

const RIGHTS: Readonly<Record<string, Right>> = { ...OPERATION_RIGHTS, ...STANDARD_RIGHTS };
const ACCESS_ERRORS: readonly ErrorCode[] = [
  'UNAUTHENTICATED',
  'INSUFFICIENT_SCOPE',
  'AUTH_UNAVAILABLE',
  'TOO_MANY_REQUESTS',
];

/** The errors of callers who lack the right. A server of this machine alone asks for no credentials. */
function accessOf(
  name: string,
  { method }: Operation,
): { readonly codes: readonly ErrorCode[]; readonly security: Json } {
  const right = RIGHTS[name]!;
  if (right === 'none') return { codes: [], security: { security: [] } };
  const isRecorded = method !== 'GET' && right !== 'read';
  return {
    codes: isRecorded ? [...ACCESS_ERRORS, 'AUDIT_UNAVAILABLE'] : ACCESS_ERRORS,
    security: { security: [{}, { bearer: [right] }] },
  };
}

function toOpenApiOperation(name: string, operation: Operation): Json {
  const { codes: access, security } = accessOf(name, operation);
  const body = operation.body === undefined ? [] : BODY_ERRORS;
  const codes = [...(operation.errors ?? []), ...access, ...SHARED_ERRORS, ...body];
  const responses: Record<string, Json> = {};
  const media = operation.text === true ? 'text/plain' : 'application/json';
  for (const [status, schema] of Object.entries(operation.responses)) {
    responses[status] = {
      description: REASONS[Number(status)]!,
      ...(schema === null ? {} : { content: { [media]: { schema: schemaOf(schema, 'output') } } }),
    };
  }
  const parameters = [
    ...parametersOf(operation.params, 'path'),
    ...parametersOf(operation.query, 'query'),
    ...parametersOf(operation.headers, 'header'),
  ];
  return {
    operationId: name,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description ?? `${operation.summary}.`,
    ...security,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(operation.body === undefined
      ? {}
      : { requestBody: { required: true, content: bodyContent(operation.body, operation.form === true) } }),
    responses: { ...responses, ...errorResponses(codes, operation.tag) },
  };
}

function bodyContent(body: z.ZodType, form: boolean): Json {
  const schema = schemaOf(body, 'input');
  const json = { 'application/json': { schema } };
  return form ? { ...json, 'application/x-www-form-urlencoded': { schema }, 'multipart/form-data': { schema } } : json;
}

/** The whole API as OpenAPI 3.1, generated from the contract. Yields after each operation: together they take 0.2 s the first time. */
export function* toOpenApi(version: string): Generator<void, Json> {
  const paths: Record<string, Json> = {};
  const operations: Readonly<Record<string, Operation>> = { ...contract, ...standardsContract };
  for (const [name, operation] of Object.entries(operations)) {
    // OpenAPI cannot express "the rest of the path"; the description of the parameter does.
    const path = operation.path.replace('*}', '}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: toOpenApiOperation(name, operation) };
    yield;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dowser',
      version,
      description:
        'A registry and hybrid search engine for MCP servers, tools, agents, skills, packages and documents.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'Dowser' },
    },
    servers: [{ url: '/', description: 'This server.' }],
    security: [],
    tags: [
      { name: 'search', description: 'Find things.' },
      { name: 'entities', description: 'Register, read and delete entities.' },
      { name: 'sources', description: 'Sources of entities, liveness and drift.' },
      { name: 'calls', description: 'Call the tools of registered servers.' },
      { name: 'servers', description: 'MCP servers, for clients of the MCP gateway registry.' },
      { name: 'agents', description: 'A2A agents.' },
      { name: 'skills', description: 'Agent skills.' },
      { name: 'virtual servers', description: 'Servers composed of tools of other servers.' },
      { name: 'memories', description: 'What an agent has learned.' },
      { name: 'documents', description: 'Collections of files: search, read and ask.' },
      { name: 'graph', description: 'Relations between entities, and recommendations.' },
      { name: 'admin', description: 'Embeddings and other upkeep.' },
      { name: 'gateway', description: 'Other routes of the MCP gateway registry.' },
      { name: 'service', description: 'Health and API description.' },
      { name: 'mcp registry', description: 'The read API of the official MCP registry.' },
      { name: 'ard', description: 'Agentic Resource Discovery: search for registries and agents.' },
      { name: 'a2a', description: 'Dowser as an A2A agent.' },
      { name: 'well-known', description: 'Well-known documents.' },
    ],
    paths,
    components: {
      schemas: components(),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or an access token of the issuer.' },
      },
    },
  };
}
