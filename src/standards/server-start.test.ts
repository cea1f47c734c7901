// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of configurations
import { describe, expect, it } from 'vitest';
import { type McpServer, parseEntity } from '../model/entity.ts';
import { variablesOf } from './client-files.ts';
import { startOf } from './server-start.ts';

const of = (fields: object) =>
  startOf(parseEntity({ type: 'mcp_server', path: '/desk', name: 'Help Desk', ...fields }).entity as McpServer);

describe('startOf', () => {
  it.each([
    [
      {
        deployment: 'local',
        local_runtime: { type: 'npx', package: 'desk', version: '1.0.0', args: ['x'], env: ['KEY'] },
      },
      { command: 'npx', args: ['-y', 'desk@1.0.0', 'x'], env: { KEY: '${KEY}' } },
    ],
    [
      { url: 'https://desk.example/mcp', mcp_endpoint: 'https://desk.example/mcp', auth_scheme: 'bearer' },
      {
        url: 'https://desk.example/mcp',
        transport: 'http',
        headers: { Authorization: 'Bearer ${HELP_DESK_TOKEN}' },
      },
    ],
    [
      {
        metadata: {
          remotes: [
            { type: 'sse', url: 'https://{team}.desk.example/sse', headers: [{ name: 'X-Key', isSecret: true }] },
          ],
        },
      },
      { url: 'https://${TEAM}.desk.example/sse', transport: 'sse', headers: { 'X-Key': '${X_KEY}' } },
    ],
    [
      {
        deployment: 'local',
        metadata: {
          packages: [
            {
              registryType: 'npm',
              identifier: '@desk/server',
              version: '2.1.0',
              transport: { type: 'stdio' },
              packageArguments: [{ type: 'named', name: '--port', value: '1' }, { type: 'positional' }],
              environmentVariables: [{ name: 'DESK_KEY', isSecret: true }],
            },
          ],
        },
      },
      { command: 'npx', args: ['-y', '@desk/server@2.1.0', '--port', '1'], env: { DESK_KEY: '${DESK_KEY}' } },
    ],
    [
      {
        deployment: 'local',
        metadata: {
          packages: [
            {
              registryType: 'oci',
              identifier: 'ghcr.io/desk/server',
              version: '3',
              transport: { type: 'stdio' },
              environmentVariables: [{ name: 'DESK_KEY' }],
            },
          ],
        },
      },
      {
        command: 'docker',
        args: ['run', '-i', '--rm', '-e', 'DESK_KEY', 'ghcr.io/desk/server:3'],
        env: { DESK_KEY: '${DESK_KEY}' },
      },
    ],
    [{ description: 'nobody said how' }, undefined],
  ])('of %j', (fields, start) => {
    expect(of(fields)).toEqual(start);
  });

  it('names the variables that it needs, once each', () => {
    const start = { command: 'x', args: ['${input:desk-key}', '${DESK_KEY}'], env: { A: '${env:A}', B: 'plain' } };
    expect(variablesOf(start)).toEqual(['DESK_KEY', 'A']);
  });
});
