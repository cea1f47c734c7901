import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseEntity } from '../../model/entity.ts';
import { openSource, reopenSource } from '../open/open-source.ts';
import { DEFAULT_LIMITS, type Source, type SourceItem } from '../source.ts';

/** Stands in for npm: prints what a registry says, or fails. */
let folder: string;
const { signal } = new AbortController();
const context = () => ({
  env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` },
  limits: DEFAULT_LIMITS,
  version: '0',
});
async function npmSays(script: string): Promise<void> {
  await writeFile(join(folder, 'npm'), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, 'npm'), 0o755);
}
async function readAll(source: Source): Promise<SourceItem[]> {
  const items: SourceItem[] = [];
  for await (const item of source.read(signal)) items.push(item);
  return items;
}
const add = (what: string) => openSource({ what }, context(), signal);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowser-npm-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe.skipIf(process.platform === 'win32')('a package of npm', () => {
  const manifest = {
    name: '@scope/mailer',
    version: '2.0.0',
    description: 'Sends mail',
    license: 'MIT',
    keywords: ['mail'],
    dependencies: { zod: '^4', ws: '*' },
    versions: ['1.0.0', '2.0.0'],
    peerDependencies: { react: '^18 || ^19', vite: '*' },
    peerDependenciesMeta: { vite: { optional: true } },
    repository: { type: 'git', url: 'git+https://git.example/mailer.git' },
    time: { '2.0.0': '2026-01-02T00:00:00.000Z' },
    deprecated: 'Use another',
  };

  it('is read with its own facts, and read again from what is stored', async () => {
    await npmSays(`cat <<'END'\n${JSON.stringify(manifest)}\nEND`);
    const source = await add('npm:@scope/mailer');
    const [item] = await readAll(source);
    expect(item).toMatchObject({ warnings: ['The package is deprecated: Use another'] });
    const { entity } = parseEntity((item as { entity: object }).entity);
    expect(entity).toMatchObject({
      path: 'npm:@scope/mailer',
      license: 'MIT',
      status: 'active',
      repository: 'https://git.example/mailer',
      health: { last_release: '2026-01-02T00:00:00.000Z' },
      versions: ['1.0.0', '2.0.0'],
      peers: [
        { name: 'react', range: '^18 || ^19', optional: false },
        { name: 'vite', range: '*', optional: true },
      ],
      metadata: { dependencies: ['zod', 'ws'], versions: 2, deprecated: 'Use another' },
    });
    expect(await readAll(reopenSource(source.kind, source.locator, context()))).toEqual([item]);
  });

  it.each([
    ['does not exist', 'exit 1'],
    ['is no JSON', 'echo hello'],
    ['is empty', 'true'],
  ])('that %s cannot be reached', async (_, script) => {
    await npmSays(script);
    await expect(readAll(await add('npm:nothing'))).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' });
  });

  it.each(['npm:', 'npm:--help', 'npm:a b', 'npm:$(touch x)', 'npm:../x'])('has no name like %s', async (what) => {
    await expect(add(what)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});
