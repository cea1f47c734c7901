import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dowserSource } from '../../src/sources/kinds/dowser-source.ts';
import { skillFolderSource } from '../../src/sources/kinds/skill-source.ts';
import { DEFAULT_LIMITS, type Source } from '../../src/sources/source.ts';
import { standardsServer, type TestServer } from '../support/standards-server.ts';

/** Skills of our own, one for each feature of the format, with files beside them. */
const LONG_LICENSE = `Proprietary. ${'Ask before you copy it, and keep this notice. '.repeat(120)}`.trim();
const FRONT_MATTER = {
  name: 'pdf-forms',
  description: 'Fills in PDF forms: "fields", boxes & signatures. Use it for any form.',
  license: LONG_LICENSE,
  compatibility: 'Needs Python 3.11 and poppler',
  'allowed-tools': 'Bash(python:*) Read Write',
  metadata: { author: 'Example, Inc.', version: '1.0', 'review board': 'yes', tags: 'forms, pdf' },
};
const BODY = '# Forms\n\nSee [the fields](references/the%20fields.md).\n\n---\nname: not-a-head\n---\n';
const FILES: Readonly<Record<string, Buffer>> = {
  'LICENSE.txt': Buffer.from('All rights reserved.\n'),
  'assets/empty.dat': Buffer.from(''),
  'assets/icon.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 0xff]),
  'references/the fields.md': Buffer.from('\ufeffFields — ünï 東京\r\n'),
  'scripts/fill.py': Buffer.from('print("fill")\n'),
};
const skillMd = `---\n${Object.entries(FRONT_MATTER)
  .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  .join('\n')}\n---\n${BODY}`;
const LEAST = '---\nname: least\ndescription: The least that a skill says.\n---\n';
const sha256 = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const entitiesOf = async (source: Source): Promise<unknown[]> => {
  const entities: unknown[] = [];
  for await (const item of source.read(new AbortController().signal)) {
    expect(item).toMatchObject({ warnings: [] });
    if ('entity' in item) entities.push(item.entity);
  }
  return entities;
};
const context = { env: {}, version: '0', limits: DEFAULT_LIMITS };

let folder: string;
const sites: TestServer[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowser-skills-'));
  const files = {
    'pdf-forms/SKILL.md': skillMd,
    'least/SKILL.md': LEAST,
    ...Object.fromEntries(Object.entries(FILES).map(([path, bytes]) => [`pdf-forms/${path}`, bytes])),
  };
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  sites.push(await standardsServer(await entitiesOf(skillFolderSource(folder, context))));
  sites.push(await standardsServer(await entitiesOf(dowserSource({ url: sites[0]!.url }, context))));
});
afterAll(async () => {
  for (const site of sites) await site.close();
  await rm(folder, { recursive: true });
});

describe.each([
  ['the Dowser that read the folder', 0],
  ['another Dowser that read that one', 1],
] as const)('of %s', (_, at) => {
  let client: Client;
  let skills: SkillsClient;
  beforeAll(async () => {
    client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${sites[at]!.url}/mcp`)));
    skills = new SkillsClient(client);
  });
  afterAll(() => client.close());
  const entryOf = async (name: string) => {
    const { skills: entries } = await skills.list();
    return entries.find(({ frontmatter }) => frontmatter.name === name)!;
  };

  it('the official client reads the front matter and the text as they were', async () => {
    expect((await skills.list()).skills.map(({ uri }) => uri)).toEqual([
      'skill://skills/least/SKILL.md',
      'skill://skills/pdf-forms/SKILL.md',
    ]);
    const entry = await entryOf('pdf-forms');
    expect(entry.frontmatter).toEqual(FRONT_MATTER);
    expect(await skills.read(entry)).toMatchObject({ verified: true, frontmatter: FRONT_MATTER, body: BODY });
    expect((await skills.read(await entryOf('least'))).text).toContain('The least that a skill says.');
  });

  it('the official client verifies every file, byte by byte', async () => {
    const entry = await entryOf('pdf-forms');
    const listed = (entry.resources as { uri: string; digest: string; size: number }[]).slice(1);
    expect(listed).toEqual(
      Object.entries(FILES).map(([path, bytes]) => ({
        uri: `skill://skills/pdf-forms/${path.replace(' ', '%20')}`,
        digest: sha256(bytes),
        size: bytes.byteLength,
      })),
    );
    for (const [path, bytes] of Object.entries(FILES)) {
      const read = await skills.read(entry, path);
      expect([path, read.verified, Buffer.from(read.bytes).equals(bytes)]).toEqual([path, true, true]);
    }
  });

  it('the registry’s own route has every file too, with its digest', async () => {
    for (const [path, bytes] of Object.entries(FILES)) {
      const { status, json } = await sites[at]!.get(
        `/api/skills/pdf-forms/content?resource=${encodeURIComponent(path)}`,
      );
      expect([status, json.digest, json.size]).toEqual([200, sha256(bytes), bytes.byteLength]);
      expect(Buffer.from(json.content, json.encoding ?? 'utf8').equals(bytes)).toBe(true);
    }
    expect((await sites[at]!.get('/api/skills/pdf-forms/content?resource=scripts/none.py')).status).toBe(404);
  });

  it('the ARD entry leads to the same text', async () => {
    const { json } = await sites[at]!.get('/ard/agents');
    const { url } = json.items.find(({ displayName }: { displayName: string }) => displayName === 'pdf-forms');
    const { text } = await sites[at]!.get(new URL(url).pathname);
    const entry = await entryOf('pdf-forms');
    expect(text).toBe((await skills.read(entry)).text);
  });
});
