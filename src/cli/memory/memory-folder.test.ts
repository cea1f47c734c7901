import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Memories } from '../../memories/memories.ts';
import { type Caller, callerOf, STRANGER, UNRESTRICTED } from '../../model/caller/caller.ts';
import { openMemories, openRegistry } from '../../open.ts';
import type { LocalRegistry } from '../../registry/contract/registry.ts';
import { readMemoryFile } from '../../sources/kinds/memory-file.ts';
import { importFile } from './memory-files.ts';
import { exportFolder } from './memory-folder.ts';

let dir: string;
const opened: LocalRegistry[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-pages-'));
});
afterEach(async () => {
  for (const registry of opened.splice(0)) await registry.close();
  await rm(dir, { recursive: true });
});

const SETTINGS = { engine: 'memory', embeddings_provider: 'off' } as const;

async function newMemories(): Promise<Memories> {
  const registry = await openRegistry(SETTINGS, { background: false });
  opened.push(registry);
  return openMemories(registry, SETTINGS);
}

async function filesIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.sort().map(async (file) => [file.slice(folder.length), await readFile(file, 'utf8')]),
  );
  return Object.fromEntries(texts);
}

const WHOLE = { filters: {}, dryRun: false, seesAll: true };
const HOSTILE = '---\ncontent_hash: "no"\n---\n# not a heading\r\nwith "quotes": [and] \u2028 é 日本\n ';

async function filled(): Promise<Memories> {
  const memories = await newMemories();
  const created_at = '2026-01-31T12:00:00.000Z';
  const old = await memories.store({
    content: 'Staging is on port 8080',
    tags: ['ops'],
    created_at,
    source_class: 'user',
  });
  await memories.store({
    content: 'Staging is on port 9090',
    supersedes: old.content_hash,
    reason: 'moved: "twice"',
    created_at,
    source_class: 'user',
  });
  await memories.store({ content: HOSTILE, metadata: { b: 1, a: { z: null, y: ['x'] } }, created_at, certainty: 0.5 });
  await memories.store({ content: 'Ours', namespace: '..', memory_type: 'note', created_at }).catch(() => undefined);
  await memories.store({ content: 'Of a team', namespace: 'team', memory_type: 'note', created_at });
  return memories;
}

const ADA: Caller = callerOf({ name: 'key:ada', groups: ['team'], scopes: ['write'] });
const EVE: Caller = callerOf({ name: 'key:eve', groups: ['team'], scopes: ['write'] });
const ADMIN: Caller = callerOf({ name: 'key:root', groups: [], scopes: ['admin'] });

describe('the readers of a memory', () => {
  /** A private fact that was corrected, one of a group and one of everyone, in a folder. */
  async function exported(): Promise<string> {
    const registry = await openRegistry(SETTINGS, { background: false });
    opened.push(registry);
    const memories = await openMemories(registry, SETTINGS);
    const [ada, zoe] = [memories.as(ADA), memories.as(callerOf({ name: 'zoe', groups: [], scopes: ['write'] }))];
    const old = await ada.store({ content: 'My doctor is at noon', source_class: 'user' });
    await ada.store({
      content: 'My doctor is at one',
      source_class: 'user',
      supersedes: old.content_hash,
      reason: 'moved',
    });
    await ada.store({ content: 'Of a team', namespace: 'team' });
    await memories.store({ content: 'My doctor is at one' });
    await zoe.store({ content: 'My doctor is at one' });
    const folder = join(dir, 'exported');
    await exportFolder(memories, folder, WHOLE);
    await writeFile(join(dir, 'list.json'), JSON.stringify(await memories.list()));
    return folder;
  }

  async function importedBy(caller: Caller, file: string, namespace?: string) {
    const registry = await openRegistry(SETTINGS, { background: false });
    opened.push(registry);
    const memories = await openMemories(registry, SETTINGS);
    const options = {
      dryRun: false,
      seesAll: caller.readers === null,
      ...(namespace === undefined ? {} : { namespace }),
    };
    const report = await importFile(memories.as(caller), file, options);
    const read = async (by: Caller) =>
      (await memories.as(by).list({ include_superseded: true })).memories.map(({ content }) => content).sort();
    return { report, read, memories };
  }

  it.each<[string, Caller]>([
    ['an admin', ADMIN],
    ['the owner of the data folder', UNRESTRICTED],
  ])('survive an export and an import by %s', async (_, caller) => {
    const folder = await exported();
    const { report, read, memories } = await importedBy(caller, folder);
    expect(report).toMatchObject({ found: 5, stored: 5, superseded: 1, problems: [] });
    expect(await read(ADA)).toContain('My doctor is at noon');
    expect(await read(EVE)).not.toContain('My doctor is at noon');
    expect(await read(EVE)).toContain('Of a team');
    expect(await read(STRANGER)).toEqual(caller === UNRESTRICTED ? ['My doctor is at one'] : []);
    if (caller !== UNRESTRICTED) return;
    const again = join(dir, 'again');
    await exportFolder(memories, again, WHOLE);
    expect(await filesIn(again)).toEqual(await filesIn(folder));
  });

  it.each([undefined, 'team'])(
    'are never more: another caller stores what was private as its own (namespace %s)',
    async (namespace) => {
      const { read, report } = await importedBy(EVE, await exported(), namespace);
      expect(report).toMatchObject({ superseded: 1, problems: [] });
      expect(await read(EVE)).toContain('My doctor is at noon');
      expect(await read(ADA)).not.toContain('My doctor is at noon');
      expect(await read(STRANGER)).toEqual([]);
    },
  );

  it('are kept from a caller without a name, which is told why', async () => {
    await exported();
    const { report } = await importedBy({ readers: ['public', 'group:team'] }, join(dir, 'list.json'));
    const why = (owner: string) => `'owner' is "${owner}": a caller without a name cannot store a private memory.`;
    expect(report).toMatchObject({ found: 4, stored: 2 });
    expect(report.problems.toSorted()).toEqual(['key:ada', 'zoe'].map((owner) => expect.stringContaining(why(owner))));
  });

  it('survive in the list of `dowser memory list --json` too, with who said it', async () => {
    await exported();
    const { read, report, memories } = await importedBy(UNRESTRICTED, join(dir, 'list.json'));
    expect(report).toMatchObject({ found: 4, stored: 4, problems: [] });
    expect([await read(ADA), await read(EVE), await read(STRANGER)]).toEqual([
      ['My doctor is at one', 'My doctor is at one', 'Of a team'],
      ['My doctor is at one', 'Of a team'],
      ['My doctor is at one'],
    ]);
    const { memories: own } = await memories.as(ADA).list({ source_class: 'user' });
    expect(own.map(({ owner }) => owner)).toEqual(['key:ada']);
  });

  it('are admins alone for a private memory without an owner, which needs a key to be imported', async () => {
    const registry = await openRegistry(SETTINGS, { background: false });
    opened.push(registry);
    await registry.put({ type: 'memory', path: '/one', name: 'one', content: 'Of admins', visibility: 'private' });
    const folder = join(dir, 'exported');
    await exportFolder(await openMemories(registry, SETTINGS), folder, WHOLE);
    const { report, read } = await importedBy(UNRESTRICTED, folder);
    expect(report).toMatchObject({ stored: 0, problems: [expect.stringContaining("'owner' is empty")] });
    expect(await read(UNRESTRICTED)).toEqual([]);
    expect((await importedBy(ADMIN, folder)).report).toMatchObject({ stored: 1, problems: [] });
  });
});

describe('a folder of Markdown', () => {
  it('gives the same memories back, and the same bytes again', async () => {
    const first = join(dir, 'first');
    await exportFolder(await filled(), first, WHOLE);
    const copy = await newMemories();
    const report = await importFile(copy, first, { dryRun: false, seesAll: true });
    expect(report).toMatchObject({ format: 'folder of Markdown', superseded: 1, problems: [] });
    const second = join(dir, 'second');
    await exportFolder(copy, second, WHOLE);
    const files = await filesIn(first);
    expect(await filesIn(second)).toEqual(files);
    expect(Object.keys(files).some((name) => /^\/team\/of-a-team-[0-9a-f]{12}\.md$/.test(name))).toBe(true);
    const { memories } = await copy.list({ include_superseded: true });
    expect(memories.map(({ content }) => content)).toContain(HOSTILE);
    const old = memories.find(({ content }) => content.endsWith('8080'))!;
    expect(old.superseded?.by).toBe(memories.find(({ content }) => content.endsWith('9090'))!.content_hash);
  });

  it('writes only what changed, removes what was forgotten, and nothing else', async () => {
    const memories = await filled();
    const first = await exportFolder(memories, dir, WHOLE);
    await writeFile(join(dir, 'README.md'), 'mine');
    await writeFile(join(dir, 'draft.md'), 'mine');
    expect(await exportFolder(memories, dir, WHOLE)).toMatchObject({
      written: [],
      removed: [],
      unchanged: first.memories,
    });
    const team = (await memories.list({ namespace: 'team' })).memories[0]!;
    await memories.forget({ content_hash: team.path });
    const before = await filesIn(dir);
    expect(await exportFolder(memories, dir, { ...WHOLE, dryRun: true })).toMatchObject({
      removed: [expect.any(String)],
    });
    expect(await exportFolder(memories, dir, { ...WHOLE, filters: { tags: ['ops'] } })).toMatchObject({
      removed: [],
    });
    expect(await filesIn(dir)).toEqual(before);
    expect(await exportFolder(memories, dir, WHOLE)).toMatchObject({ removed: [expect.stringMatching(/^team\//)] });
    expect(Object.keys(await filesIn(dir))).toEqual(expect.arrayContaining(['/README.md', '/draft.md']));
  });

  it('removes no file that it did not write, that was edited, or whose memory the caller may not see', async () => {
    const memories = await newMemories();
    const notes = ['meeting-202411191200.md', 'a-0123456789ab.md', 'huge-0123456789ab.md'];
    await writeFile(join(dir, notes[0]!), '# Minutes\n');
    await writeFile(join(dir, notes[1]!), '---\ncontent_hash: "0123456789ab"\n---\n\nMine\n');
    await writeFile(join(dir, notes[2]!), `---\nlist: [${'1,'.repeat(100_000)}1]\n---\n\nMine\n`);
    for (const content of ['Edited later', 'Forgotten later']) await memories.store({ content });
    const { written } = await exportFolder(memories, dir, WHOLE);
    for (const { path } of (await memories.list()).memories) await memories.forget({ content_hash: path });
    const edited = written.find((name) => name.startsWith('edited'))!;
    await writeFile(join(dir, edited), (await readFile(join(dir, edited), 'utf8')).replace('later', 'by me'));
    expect(await exportFolder(memories, dir, { ...WHOLE, seesAll: false })).toMatchObject({ removed: [] });
    expect(await exportFolder(memories, dir, WHOLE)).toMatchObject({
      removed: written.filter((name) => name !== edited),
    });
    expect((await readdir(dir)).sort()).toEqual([...notes, edited].sort());
  });

  it.each([
    ['team.a', 'team%2Ea'],
    ['a/../../../x', 'a%2F%2E%2E%2F%2E%2E%2F%2E%2E%2Fx'],
    ['..', '%2E%2E'],
    ['', '%'],
    ['日'.repeat(100), expect.stringMatching(/^(%[0-9A-F]{2})+%.{1,20}$/)],
  ])('writes the namespace %j into one folder inside, and reads it back', async (namespace, folder) => {
    const registry = await openRegistry(SETTINGS, { background: false });
    opened.push(registry);
    const readers = { visibility: 'group-restricted', allowed_groups: [namespace] };
    await registry.put({ type: 'memory', path: '/one', name: 'one', content: 'Of a group', ...readers });
    const target = join(dir, 'deep', 'er', 'export');
    const memories = await openMemories(registry, SETTINGS);
    await exportFolder(memories, target, WHOLE);
    expect(await readdir(dir)).toEqual(['deep']);
    expect(await readdir(target)).toEqual([folder]);
    expect((await readMemoryFile(target)).memories).toMatchObject([{ memory: { content: 'Of a group', namespace } }]);
    expect(await exportFolder(memories, target, WHOLE)).toMatchObject({ written: [], removed: [], unchanged: 1 });
  });

  it('takes an edited file as a new memory, and leaves out other files', async () => {
    const memories = await newMemories();
    await memories.store({ content: 'The port is 1' });
    const { written } = await exportFolder(memories, dir, WHOLE);
    const file = join(dir, written[0]!);
    await writeFile(file, (await readFile(file, 'utf8')).replace('The port is 1', 'The port is 2'));
    await writeFile(join(dir, 'README.md'), '# Mine\n');
    expect(await importFile(memories, dir, { dryRun: false, seesAll: true })).toMatchObject({
      found: 1,
      stored: 1,
      problems: [],
    });
    expect((await memories.list()).memories.map(({ content }) => content).sort()).toEqual([
      'The port is 1',
      'The port is 2',
    ]);
  });
});
