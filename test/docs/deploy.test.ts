import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../src/config.ts';
import { installLinks } from '../../src/web/entity/client-configs.ts';
import { faultsOf } from '../support/standard-schemas.ts';

const root = new URL('../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), 'utf8');
const FILES = [
  'Dockerfile',
  'compose.yaml',
  'compose.nodes.yaml',
  'deploy/dowser.service',
  'deploy/kubernetes.yaml',
] as const;

describe.each(FILES)('%s', (name) => {
  it('sets only what is a setting', () => {
    const known = new Set(SETTINGS.flatMap(({ env }) => env));
    const used = [...read(name).matchAll(/\b(?:DOWSER|EMBEDDINGS)_[A-Z_]+\b/g)].map(([variable]) => variable);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((variable) => !known.has(variable))).toEqual([]);
  });
});

/** What is read by people, not by the program. */
const PAGES = /^(?:docs|images|deploy|compose\.yaml|server\.json|[A-Z]+\.md)$/;

describe('the image', () => {
  const lines = read('Dockerfile').replaceAll('\\\n', ' ').split('\n');
  const copied = lines
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
    .flatMap((line) => line.split(/\s+/).slice(1, -1));

  it('is built from files that are there, which is all that the builder gets', () => {
    expect(copied.filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
    const [, ...allowed] = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(allowed.map((line) => line.slice(1)).sort()).toEqual([...new Set(copied)].sort());
  });

  it('has whatever the package has, without its pages', () => {
    const { files } = JSON.parse(read('package.json')) as { readonly files: readonly string[] };
    const own = [...copied, 'dist'];
    expect(files.filter((file) => !own.includes(file) && !PAGES.test(file))).toEqual([]);
  });

  it('runs a Node that Dowser supports, and not as root', () => {
    const { engines } = JSON.parse(read('package.json')) as { readonly engines: { readonly node: string } };
    expect(engines.node).toBe('>=20.19');
    const version = Number(lines.find((line) => line.startsWith('ARG NODE_VERSION='))!.split('=')[1]);
    expect(version).toBeGreaterThan(20);
    expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER 1000:1000']);
  });
});

describe('compose.yaml', () => {
  interface Compose {
    readonly services: Readonly<Record<string, Record<string, unknown>>>;
    readonly volumes: Readonly<Record<string, unknown>>;
  }
  const { services, volumes } = parse(read('compose.yaml')) as Compose;
  const withPostgres = parse(read('compose.postgres.yaml')) as Compose;

  it('starts Dowser alone, and PostgreSQL with the second file', () => {
    expect(Object.keys(services)).toEqual(['dowser']);
    expect(Object.keys(withPostgres.services)).toEqual(['dowser', 'postgres']);
  });

  it('asks for the password of the database, and has none of its own', () => {
    const { environment } = withPostgres.services.postgres as {
      readonly environment: Readonly<Record<string, string>>;
    };
    expect(environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?[^}]+\}$/);
    for (const [, fallback] of read('compose.postgres.yaml').matchAll(/POSTGRES_PASSWORD:([?-])/g))
      expect(fallback).toBe('?');
  });

  it('gives Dowser no more than it needs', () => {
    expect(services.dowser).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      ports: ['127.0.0.1:7470:7470'],
    });
  });

  it('has the volumes that it names', () => {
    for (const file of [{ services, volumes }, withPostgres]) {
      const named = Object.values(file.services).flatMap(({ volumes: own = [] }) => own as readonly string[]);
      expect(named.map((volume) => volume.split(':')[0]).sort()).toEqual(Object.keys(file.volumes).sort());
    }
  });
});

describe('compose.nodes.yaml', () => {
  interface Service {
    readonly environment: Readonly<Record<string, string>>;
    readonly volumes?: readonly string[];
    readonly read_only?: boolean;
    readonly ports?: readonly string[];
  }
  const file = parse(read('compose.nodes.yaml'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: Readonly<Record<string, unknown>>;
    readonly networks: {
      readonly default: { readonly ipam: { readonly config: readonly { readonly subnet: string }[] } };
    };
    readonly configs: { readonly haproxy: { readonly content: string } };
  };
  const nodes = Object.entries(file.services).filter(([name]) => name.startsWith('node'));

  it('starts three nodes with one record, each with a data folder of its own, and only HAProxy is reached', () => {
    expect(nodes.map(([name]) => name)).toEqual(['node1', 'node2', 'node3']);
    expect(nodes.map(([, { volumes }]) => volumes)).toEqual(nodes.map(([name]) => [`${name}:/data`]));
    expect(new Set(nodes.map(([, { environment }]) => environment.DOWSER_STORE)).size).toBe(1);
    const reached = Object.entries(file.services).filter(([, { ports = [] }]) => ports.length > 0);
    expect(reached.map(([name]) => name)).toEqual(['balancer']);
    expect(Object.keys(file.volumes).sort()).toEqual(['node1', 'node2', 'node3', 'postgres']);
    expect(nodes[0]![1]).toMatchObject({ read_only: true });
  });

  it('trusts its own network, and has no password of its own', () => {
    expect(nodes[0]![1].environment.DOWSER_TRUSTED_PROXIES).toBe(file.networks.default.ipam.config[0]!.subnet);
    for (const [, fallback] of read('compose.nodes.yaml').matchAll(/\$\{[A-Z_]+:([?-])/g)) expect(fallback).toBe('?');
  });

  it('asks and balances as deploy/haproxy.cfg does', () => {
    const lines = (text: string) =>
      new Set(
        text
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== '' && !/^(?:#|server |bind |default-server |resolvers |nameserver )/.test(line)),
      );
    expect(lines(file.configs.haproxy.content)).toEqual(lines(read('deploy/haproxy.cfg')));
    for (const [name] of nodes)
      expect(file.configs.haproxy.content).toContain(`server ${name} ${name}:7470 cookie ${name}`);
  });
});

describe('deploy/kubernetes.yaml', () => {
  const objects = parseAllDocuments(read('deploy/kubernetes.yaml')).map((document) => document.toJS());
  const [claim, deployment, service] = objects;
  const { spec } = deployment.spec.template;
  const [container] = spec.containers;

  it('runs one process for its data folder, which no other replaces while it runs', () => {
    expect(objects.map(({ kind }) => kind)).toEqual(['PersistentVolumeClaim', 'Deployment', 'Service']);
    expect([deployment.spec.replicas, deployment.spec.strategy.type]).toEqual([1, 'Recreate']);
    expect(spec.volumes[0].persistentVolumeClaim.claimName).toBe(claim.metadata.name);
  });

  it('has no rights that it does not need, and asks the routes that are always answered', () => {
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
    expect([container.livenessProbe.httpGet.path, container.readinessProbe.httpGet.path]).toEqual([
      '/health',
      '/ready',
    ]);
  });

  it('leads from the service to the container', () => {
    expect(deployment.spec.template.metadata.labels).toMatchObject(service.spec.selector);
    expect(container.ports[0]).toEqual({ name: service.spec.ports[0].targetPort, containerPort: 7470 });
  });
});

describe('what is published', () => {
  const manifest = JSON.parse(read('package.json'));
  const server = JSON.parse(read('server.json'));

  it('has a server.json that the official registry takes, with the name of the package', () => {
    expect(faultsOf('serverDetail', server)).toEqual([]);
    expect(server.name).toBe(manifest.mcpName);
    expect(server.packages.map(({ identifier }: { identifier: string }) => identifier)).toEqual([manifest.name]);
  });

  it('has one version everywhere', () => {
    const versions = [
      server.version,
      server.packages[0].version,
      /image\.version="([^"]+)"/.exec(read('Dockerfile'))![1],
      /image: dowser:(\S+)/.exec(read('deploy/kubernetes.yaml'))![1],
    ];
    expect(versions).toEqual(versions.map(() => manifest.version));
    expect(read('Dockerfile')).toContain(`server.name="${manifest.mcpName}"`);
  });

  it('has links in README.md that add it to VS Code and Cursor', () => {
    const links = installLinks('dowser', { type: 'http', url: 'http://127.0.0.1:7470/mcp' });
    for (const { client, href } of links) expect(read('README.md')).toContain(`[add to ${client}](${href})`);
  });
});
