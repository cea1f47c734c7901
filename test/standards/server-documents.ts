/**
 * `server.json` documents of our own, one for each feature that the specification of 2025-12-11 names: what a publisher
 * writes and a client needs to install the server.
 */
const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

export const SERVER_DOCUMENTS: readonly Record<string, unknown>[] = [
  { name: 'com.example/least', description: 'The least that a document says.', version: '0.0.1' },
  {
    $schema: SCHEMA,
    name: 'com.example/remote-headers',
    title: 'Remote with headers',
    description: 'Needs two headers,  one of them a secret.',
    version: '1.4.0-rc.2+build.5',
    websiteUrl: 'https://remote.example.com/docs?x=1#start',
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://remote.example.com/mcp',
        headers: [
          { name: 'X-API-Key', description: 'The key.', isRequired: true, isSecret: true },
          { name: 'X-Region', default: 'eu', choices: ['eu', 'us'] },
          {
            name: 'Authorization',
            value: 'Bearer {token}',
            variables: { token: { description: 'A token', isRequired: true, isSecret: true } },
          },
        ],
      },
      { type: 'sse', url: 'https://remote.example.com/sse', headers: [{ name: 'X-API-Key', isSecret: true }] },
    ],
  },
  {
    $schema: SCHEMA,
    name: 'com.example/tenants',
    description: 'An address with variables.',
    version: '2.0.0',
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://{tenant}.example.com/{stage}/mcp',
        variables: {
          tenant: { description: 'Your tenant', isRequired: true },
          stage: { default: 'live', choices: ['live', 'test'] },
        },
      },
      { type: 'streamable-http', url: 'https://example.com/{stage}/mcp', variables: { stage: { default: 'live' } } },
    ],
  },
  {
    $schema: SCHEMA,
    name: 'io.github.example/packages',
    title: 'Packages of every kind',
    description: 'Runs from npm, PyPI, NuGet, an image or a bundle.',
    version: '1.0.2',
    repository: {
      url: 'https://github.com/example/monorepo',
      source: 'github',
      id: 'b94b5f7e-c7c6-d760-2c78-a5e9b8a5b8c9',
      subfolder: 'src/packages',
    },
    packages: [
      {
        registryType: 'npm',
        registryBaseUrl: 'https://registry.example.com',
        identifier: '@example/server',
        version: '1.0.2',
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        runtimeArguments: [{ type: 'named', name: '--yes' }],
        packageArguments: [
          { type: 'positional', valueHint: 'folder', isRepeated: true, isRequired: true, format: 'filepath' },
          { type: 'named', name: '--level', value: '{level}', variables: { level: { default: 'info' } } },
        ],
        environmentVariables: [{ name: 'API_KEY', description: 'The key', isRequired: true, isSecret: true }],
      },
      {
        registryType: 'npm',
        identifier: '@example/server',
        version: '1.0.2',
        transport: {
          type: 'streamable-http',
          url: 'http://127.0.0.1:{port}/mcp',
          variables: { port: { default: '80' } },
        },
      },
      { registryType: 'pypi', identifier: 'example-server', version: '1.0.2', transport: { type: 'stdio' } },
      { registryType: 'nuget', identifier: 'Example.Server', version: '1.0.2', transport: { type: 'stdio' } },
      { registryType: 'oci', identifier: 'ghcr.io/example/server:1.0.2', transport: { type: 'stdio' } },
      {
        registryType: 'mcpb',
        identifier: 'https://example.com/server.mcpb',
        fileSha256: 'fe333e598595000ae021bd27117db32ec69af6987f507ba7a63c90638ff633ce',
        transport: { type: 'stdio' },
      },
    ],
  },
  {
    $schema: SCHEMA,
    name: 'com.example/icons-and-data',
    title: 'Icons',
    description: 'Has icons\nand data of its publisher.',
    version: '2021.11.15',
    icons: [
      { src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48', '96x96'], theme: 'light' },
      { src: 'https://example.com/icon.svg', mimeType: 'image/svg+xml', sizes: ['any'] },
    ],
    _meta: {
      'io.modelcontextprotocol.registry/publisher-provided': { tool: 'ci', build: { at: '2026-01-01', ok: true } },
    },
  },
];
