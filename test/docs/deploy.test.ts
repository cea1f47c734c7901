import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS } from '../../src/config.ts';

const root = new URL('../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), 'utf8');
const FILES = ['Dockerfile', 'compose.yaml', 'deploy/dowser.service'] as const;

describe.each(FILES)('%s', (name) => {
  it('sets only what is a setting', () => {
    const known = new Set(SETTINGS.flatMap(({ env }) => env));
    const used = [...read(name).matchAll(/\b(?:DOWSER|EMBEDDINGS)_[A-Z_]+\b/g)].map(([variable]) => variable);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((variable) => !known.has(variable))).toEqual([]);
  });
});

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

  it('has whatever the package has', () => {
    const { files } = JSON.parse(read('package.json')) as { readonly files: readonly string[] };
    const own = [...copied, 'dist'];
    expect(files.filter((file) => !own.includes(file))).toEqual([]);
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
  const { services, volumes } = parse(read('compose.yaml')) as {
    readonly services: Readonly<Record<string, Record<string, unknown>>>;
    readonly volumes: Readonly<Record<string, unknown>>;
  };

  it('starts Dowser alone, and PostgreSQL with a profile', () => {
    const byDefault = Object.entries(services).filter(([, { profiles }]) => profiles === undefined);
    expect(byDefault.map(([name]) => name)).toEqual(['dowser']);
    expect(services.postgres?.profiles).toEqual(['postgres']);
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
    const named = Object.values(services).flatMap((service) => service.volumes as readonly string[]);
    expect(named.map((volume) => volume.split(':')[0]).sort()).toEqual(Object.keys(volumes).sort());
  });
});
