import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultsOf } from '../../../test/support/standard-schemas.ts';
import { type McpServer, parseEntity } from '../../model/entity.ts';
import { OFFICIAL_META, toServerDetail, toServerResponse, versionOf } from './server-json.ts';

const server = (fields: Record<string, unknown> = {}): McpServer =>
  parseEntity({ type: 'mcp_server', path: '/clock', name: 'Clock', description: 'Tells the time.', ...fields })
    .entity as McpServer;
const detail = (fields: Record<string, unknown> = {}) => toServerDetail(server(fields), 'local.dowser/clock');
const record = (entity: McpServer) => ({
  entity,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-02-01T00:00:00.000Z',
});

describe('toServerDetail', () => {
  it('says where a remote server runs', () => {
    expect(
      detail({ mcp_endpoint: 'https://clock.example/mcp', sse_endpoint: 'https://clock.example/sse' }).remotes,
    ).toEqual([
      { type: 'streamable-http', url: 'https://clock.example/mcp' },
      { type: 'sse', url: 'https://clock.example/sse' },
    ]);
  });

  it.each([
    [{ url: 'https://clock.example' }, [{ type: 'streamable-http', url: 'https://clock.example' }]],
    [{ url: 'https://clock.example', supported_transports: ['sse'] }, [{ type: 'sse', url: 'https://clock.example' }]],
    [{ url: 'stdio://clock' }, undefined],
    [{ url: 'https://clock.example', deployment: 'local' }, undefined],
    [
      {
        mcp_endpoint: 'https://a.example',
        metadata: { remotes: [{ type: 'streamable-http', url: 'https://a.example' }] },
      },
      [{ type: 'streamable-http', url: 'https://a.example' }],
    ],
    [{ metadata: { remotes: [{ type: 'carrier-pigeon', url: 'https://a.example' }, 7, null] } }, undefined],
  ])('of %j has the remotes %j', (fields, remotes) => {
    expect(detail(fields).remotes).toEqual(remotes);
  });

  it.each([
    ['npx', 'npm'],
    ['uvx', 'pypi'],
    ['docker', 'oci'],
  ])('says how to run a %s package', (type, registryType) => {
    const runtime = {
      type,
      package: 'clock',
      version: '1.2.3',
      args: ['--utc'],
      env: { TZ: 'secret' },
      required_env: ['TZ'],
    };
    expect(detail({ deployment: 'local', local_runtime: runtime }).packages).toEqual([
      {
        registryType,
        identifier: 'clock',
        version: '1.2.3',
        runtimeHint: type,
        transport: { type: 'stdio' },
        packageArguments: [{ type: 'positional', value: '--utc' }],
        environmentVariables: [{ name: 'TZ', isRequired: true }],
      },
    ]);
  });

  it.each([
    [{ type: 'command', command: '/bin/clock' }],
    [{ type: 'npx' }],
    [{ type: 'mcpb', package: 'https://clock.example/clock.mcpb' }],
    [{ type: 7, package: 8 }],
  ])('leaves out the unknown runtime %j', (local_runtime) => {
    expect(detail({ local_runtime }).packages).toBeUndefined();
  });

  it('passes on valid packages of another registry, and no others', () => {
    const good = { registryType: 'npm', identifier: 'clock', transport: { type: 'stdio' } };
    const packages = [good, good, { registryType: 'npm' }, { ...good, registryType: 'apt' }];
    expect(detail({ metadata: { packages } }).packages).toEqual([good]);
  });

  it('leaves out a version that the schema refuses, and keeps the package', () => {
    const plain = { registryType: 'npm', identifier: 'clock', transport: { type: 'stdio' } };
    const versions = ['latest', ' ', 7, '1.2.3'];
    const packages = versions.map((version, at) => ({ ...plain, identifier: `clock-${at}`, version }));
    expect(detail({ version: '4.0.0', metadata: { packages } }).packages).toEqual([
      ...[0, 1, 2].map((at) => ({ ...plain, identifier: `clock-${at}` })),
      { ...plain, identifier: 'clock-3', version: '1.2.3' },
    ]);
  });

  it.each([
    ['https://github.com/acme/clock', { url: 'https://github.com/acme/clock', source: 'github' }],
    ['https://git.acme.example/clock', { url: 'https://git.acme.example/clock', source: 'git.acme.example' }],
    ['git@github.com:acme/clock.git', undefined],
    ['javascript:alert(1)', undefined],
  ])('of the repository %s is %j', (repository, expected) => {
    expect(detail({ repository }).repository).toEqual(expected);
  });

  it('uses the name as a missing description', () => {
    expect(detail({ description: '  ' }).description).toBe('Clock');
    expect(detail({ description: '', name: '\u0001' }).description).toBe('local.dowser/clock');
  });
});

describe('toServerResponse', () => {
  it.each([
    ['active', 'active'],
    ['beta', 'active'],
    ['deprecated', 'deprecated'],
  ])('of a server that is %s has the status %s', (status, expected) => {
    const { _meta } = toServerResponse(record(server({ status })), 'local.dowser/clock');
    expect(_meta[OFFICIAL_META]).toMatchObject({
      status: expected,
      isLatest: true,
      publishedAt: '2026-01-01T00:00:00.000Z',
    });
  });

  it('is valid for any entity', () => {
    const anything = fc.record(
      {
        name: fc.string({ minLength: 1, maxLength: 200, unit: 'binary' }).map((text) => `n${text}`),
        description: fc.string({ maxLength: 300, unit: 'binary' }),
        version: fc.oneof(
          fc.string({ maxLength: 20 }),
          fc.constantFrom('latest', '^1.0', '1.x', '*', '>=2', ' ', '2.0.0'),
        ),
        homepage: fc.oneof(fc.webUrl(), fc.string({ maxLength: 30 })),
        repository: fc.oneof(fc.webUrl(), fc.constant('https://ex ample.com/a b')),
        url: fc.oneof(fc.webUrl(), fc.string({ maxLength: 30 })),
        metadata: fc.record({ packages: fc.jsonValue(), remotes: fc.jsonValue() }),
        local_runtime: fc.dictionary(fc.constantFrom('type', 'package', 'version', 'args', 'env'), fc.jsonValue()),
      },
      { requiredKeys: ['name'] },
    );
    fc.assert(
      fc.property(anything, (fields) => {
        expect(faultsOf('serverResponse', toServerResponse(record(server(fields)), 'local.dowser/clock'))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('versionOf', () => {
  it.each([
    ['2.1.0', '2.1.0'],
    ['v1.0.0-beta+5', 'v1.0.0-beta+5'],
    [' 3 ', '3'],
    [undefined, '1.0.0'],
    ['', '1.0.0'],
    ['latest', '1.0.0'],
    ['^1.2.0', '1.0.0'],
    ['>=1 <2', '1.0.0'],
    ['1.x', '1.0.0'],
    ['1.0 - 2.0', '1.0.0'],
  ])('of %j is %s', (said, version) => {
    expect(versionOf(said)).toBe(version);
  });
});
