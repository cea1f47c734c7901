import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/**
 * What other people's clients check, written from the specifications: the official MCP registry's API 0.1 with the
 * `server.json` schema of 2025-12-11, ARD 0.91, and the agent card of A2A 1.0.
 */
const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, strictRequired: false });
ajv.addFormat('uri', (text: string) => URL.canParse(text));
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);

type Schema = Record<string, unknown>;
const text = (minLength = 0, maxLength?: number): Schema => ({
  type: 'string',
  minLength,
  ...(maxLength === undefined ? {} : { maxLength }),
});
const uri = { type: 'string', format: 'uri' };
const time = { type: 'string', format: 'date-time' };
const list = (items: Schema): Schema => ({ type: 'array', items });
const closed = (required: readonly string[], properties: Schema): Schema => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
});
const open = (required: readonly string[], properties: Schema): Schema => ({ type: 'object', required, properties });

const remote = open(['type', 'url'], {
  type: { enum: ['streamable-http', 'sse'] },
  url: { type: 'string', pattern: '^https?://[^\\s]+$' },
});
const argument = open(['type'], { type: { enum: ['positional', 'named'] } });
const serverPackage = {
  ...closed(['registryType', 'identifier', 'transport'], {
    registryType: { enum: ['npm', 'pypi', 'cargo', 'oci', 'nuget', 'mcpb'] },
    registryBaseUrl: uri,
    identifier: text(1),
    version: { type: 'string', minLength: 1, not: { const: 'latest' } },
    fileSha256: { type: 'string', pattern: '^[a-f0-9]{64}$' },
    runtimeHint: text(1),
    transport: open(['type'], { type: { enum: ['stdio', 'streamable-http', 'sse'] } }),
    runtimeArguments: list(argument),
    packageArguments: list(argument),
    environmentVariables: list(open(['name'], { name: text(1) })),
  }),
  if: { type: 'object', properties: { registryType: { const: 'mcpb' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { type: 'object', required: ['fileSha256'] },
};

const serverDetail = closed(['name', 'description', 'version'], {
  $schema: uri,
  name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
  title: text(1, 100),
  description: text(1, 100),
  version: { type: 'string', minLength: 1, maxLength: 255, not: { pattern: '^[\\^~]|[<>*|]|^latest$' } },
  repository: closed(['url', 'source'], { url: uri, source: text(1), id: text(), subfolder: text() }),
  websiteUrl: uri,
  icons: list({ type: 'object' }),
  packages: list(serverPackage),
  remotes: list(remote),
  _meta: { type: 'object' },
});

const serverResponse = closed(['server', '_meta'], {
  server: serverDetail,
  _meta: {
    type: 'object',
    required: ['io.modelcontextprotocol.registry/official'],
    properties: {
      'io.modelcontextprotocol.registry/official': closed(['status', 'statusChangedAt', 'publishedAt', 'isLatest'], {
        status: { enum: ['active', 'deprecated', 'deleted'] },
        statusMessage: text(0, 500),
        statusChangedAt: time,
        publishedAt: time,
        updatedAt: time,
        isLatest: { type: 'boolean' },
      }),
    },
    propertyNames: { type: 'string', pattern: '^[a-z0-9-]+(\\.[a-z0-9-]+)+/[A-Za-z0-9._-]+$' },
  },
});

const input = {
  choices: list(text()),
  default: text(),
  description: text(),
  format: { enum: ['string', 'number', 'boolean', 'filepath'] },
  isRequired: { type: 'boolean' },
  isSecret: { type: 'boolean' },
  placeholder: text(),
  value: text(),
};
const variables = { type: 'object', additionalProperties: closed([], input) };
const serverCard = closed(['$schema', 'name', 'description', 'version'], {
  $schema: { const: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json' },
  name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
  title: text(1, 100),
  description: text(1, 100),
  version: text(1, 255),
  repository: closed(['url', 'source'], { url: uri, source: text(), id: text(), subfolder: text() }),
  websiteUrl: uri,
  icons: list(closed(['src'], { src: uri, mimeType: text(), sizes: list(text()), theme: { enum: ['light', 'dark'] } })),
  remotes: list(
    closed(['type', 'url'], {
      type: { enum: ['streamable-http', 'sse'] },
      url: { type: 'string', pattern: '^(https?://[^\\s]+|\\{[a-zA-Z_][a-zA-Z0-9_]*\\}[^\\s]*)$' },
      headers: list(closed(['name'], { name: text(1), ...input, variables })),
      variables,
      supportedProtocolVersions: list(text()),
    }),
  ),
  _meta: { type: 'object' },
});

const ardTerms = {
  '@context': {},
  identifier: { type: 'string', pattern: '^urn:air?:[a-zA-Z0-9.-]+([:/][a-zA-Z0-9._-]+)+$' },
  displayName: text(1),
  type: { type: 'string', pattern: '^[a-z]+/[a-z0-9.+-]+$' },
  url: uri,
  data: {},
  description: text(),
  tags: list(text()),
  capabilities: list(text()),
  representativeQueries: { ...list(text(1)), minItems: 2, maxItems: 5 },
  version: text(1),
  updatedAt: time,
  metadata: { type: 'object' },
  trustManifest: open(['identity'], { identity: text(1) }),
};
const oneOfUrlAndData = { oneOf: [{ required: ['url'] }, { required: ['data'] }] };
const ardEntry = { ...open(['identifier', 'displayName', 'type'], ardTerms), ...oneOfUrlAndData };
const ardResult = {
  ...open(['identifier', 'displayName', 'type', 'score', 'source'], {
    ...ardTerms,
    score: { type: 'integer', minimum: 0, maximum: 100 },
    source: uri,
  }),
  ...oneOfUrlAndData,
};
const bucket = closed(['value', 'count'], { value: text(), count: { type: 'integer', minimum: 1 } });
const facet = closed(['buckets'], { buckets: list(bucket), otherCount: { type: 'integer', minimum: 0 } });

const agentInterface = open(['url', 'protocolBinding', 'protocolVersion'], {
  url: uri,
  protocolBinding: { enum: ['JSONRPC', 'GRPC', 'HTTP+JSON'] },
  protocolVersion: { type: 'string', pattern: '^\\d+\\.\\d+' },
});
const agentSkill = open(['id', 'name', 'description', 'tags'], {
  id: text(1),
  name: text(1),
  description: text(1),
  tags: list(text()),
  examples: list(text()),
});

const SCHEMAS = {
  serverDetail,
  serverList: closed(['servers', 'metadata'], {
    servers: list(serverResponse),
    metadata: closed(['count'], { nextCursor: text(1), count: { type: 'integer', minimum: 0 } }),
  }),
  serverResponse,
  registryError: closed(['error'], { error: text(1) }),
  ardEntry,
  ardSearch: closed(['results'], { results: list(ardResult), referrals: list({ type: 'object' }), pageToken: text(1) }),
  ardExplore: closed(['resultType', 'facets'], {
    resultType: { const: 'facets' },
    facets: { type: 'object', additionalProperties: facet },
  }),
  ardList: closed(['items', 'total'], {
    items: list(ardEntry),
    total: { type: 'integer', minimum: 0 },
    pageToken: text(1),
  }),
  serverCard,
  aiCatalog: closed(['specVersion', 'entries'], {
    specVersion: { type: 'string', pattern: '^\\d+\\.\\d+$' },
    host: open(['displayName'], { displayName: text(1), identifier: text(1) }),
    entries: list({
      ...open(['identifier', 'type'], {
        ...ardTerms,
        identifier: text(1),
        publisher: { type: 'object' },
        trustManifest: { type: 'object' },
      }),
      ...oneOfUrlAndData,
    }),
  }),
  ardManifest: open(['entries'], { specVersion: text(1), entries: { ...list(ardEntry), minItems: 1 } }),
  ardError: closed(['errorCode', 'message'], {
    errorCode: { type: 'string', pattern: '^[A-Z_]+$' },
    message: text(1),
  }),
  mcpCatalog: closed(['specVersion', 'entries'], {
    specVersion: { const: 'draft' },
    entries: list(
      closed(['identifier', 'displayName', 'type', 'url'], {
        identifier: ardTerms.identifier,
        displayName: text(1),
        type: { const: 'application/mcp-server-card+json' },
        url: uri,
      }),
    ),
  }),
  agentCard: open(
    [
      'name',
      'description',
      'supportedInterfaces',
      'version',
      'capabilities',
      'defaultInputModes',
      'defaultOutputModes',
      'skills',
    ],
    {
      name: text(1),
      description: text(),
      supportedInterfaces: list(agentInterface),
      version: text(1),
      capabilities: { type: 'object' },
      defaultInputModes: list(text(1)),
      defaultOutputModes: list(text(1)),
      skills: list(agentSkill),
    },
  ),
} satisfies Record<string, Schema>;

const compiled = new Map<string, ValidateFunction>();

/** What is wrong with a document by a standard, one line each; nothing when it is well formed. */
export function faultsOf(schema: keyof typeof SCHEMAS, document: unknown): readonly string[] {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = ajv.compile(SCHEMAS[schema]);
    compiled.set(schema, validate);
  }
  if (validate(document)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
