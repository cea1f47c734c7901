import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { zipFile } from '../support/zip-file.ts';
import { Sandbox } from './cli-process.ts';

vi.setConfig({ testTimeout: 120_000 });

let sandbox: Sandbox;
let folder: string;
beforeEach(async () => {
  sandbox = await Sandbox.open();
  folder = join(sandbox.dir, 'handbook');
  await mkdir(join(folder, 'guides'), { recursive: true });
  await writeFile(join(folder, 'tea.md'), '# Tea\nGreen tea is steeped for two minutes.');
});
afterEach(() => sandbox.close());

const run = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await sandbox.run(args);
  if (code !== 0) throw new Error(`dowser ${args.join(' ')}: ${stderr}`);
  return stdout;
};
const sources = async (collection = 'handbook'): Promise<readonly string[]> =>
  JSON.parse(await run('docs', 'list', collection, '--json')).sources.map(({ uri }: { uri: string }) => uri);
/** Asks until the files are these. What never comes ends by the timeout of the test. */
const follows = async (files: readonly string[]) => {
  while (JSON.stringify(await sources()) !== JSON.stringify(files)) await new Promise((go) => setTimeout(go, 100));
};

const CELLS =
  '<row><c t="str"><v>Region</v></c><c t="str"><v>Budget</v></c></row><row><c t="str"><v>Harbor</v></c><c><v>4711</v></c></row>';
const WORKBOOK = zipFile([
  { path: 'xl/workbook.xml', content: '<workbook><sheets><sheet name="Costs 2026" r:id="rId1"/></sheets></workbook>' },
  { path: 'xl/_rels/workbook.xml.rels', content: '<R><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></R>' },
  { path: 'xl/worksheets/sheet1.xml', content: `<worksheet><sheetData>${CELLS}</sheetData></worksheet>` },
]);

describe('dowser docs watch', () => {
  it('scans at the start, sees new, changed, moved and deleted files, and ends with Ctrl-C', async () => {
    await run('docs', 'add', folder, '--name', 'handbook');
    await writeFile(join(folder, 'coffee.md'), '# Coffee\nBlack coffee.');
    const { stop: stopServer } = await sandbox.serve();
    const watch = sandbox.start(['docs', 'watch', '--json']);
    await follows(['coffee.md', 'tea.md']);
    await writeFile(join(folder, 'guides', 'cups.md'), '# Cups\nCups are warmed first.');
    await follows(['coffee.md', 'guides/cups.md', 'tea.md']);
    await rename(join(folder, 'coffee.md'), join(folder, 'guides', 'coffee.md'));
    await rm(join(folder, 'tea.md'));
    await writeFile(join(folder, 'plan.xlsx'), WORKBOOK);
    await follows(['guides/coffee.md', 'guides/cups.md', 'plan.xlsx']);
    const { results } = JSON.parse(await run('docs', 'search', 'budget of the harbor', '--json'));
    expect(results[0]).toMatchObject({ path: 'plan.xlsx', heading_path: ['Costs 2026'], position: { page: 1 } });
    const code = await watch.stop('SIGINT');
    expect([code, watch.output.stderr]).toEqual([0, '']);
    const reports = watch.output.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(reports[0]).toMatchObject({ collection: 'handbook', stored: 1, unchanged: 1, removed: 0 });
    await stopServer('SIGTERM');
  });

  it('refuses a collection that is not there, and names one whose folder is gone', async () => {
    await run('docs', 'add', folder, '--name', 'handbook');
    const { code, stderr } = await sandbox.run(['docs', 'watch', 'handbok']);
    expect([code, stderr]).toEqual([1, expect.stringContaining("Did you mean 'handbook'?")]);
    await rm(folder, { recursive: true });
    const watch = sandbox.start(['docs', 'watch']);
    while (!watch.output.stderr.includes('keeps its documents')) await new Promise((go) => setTimeout(go, 50));
    expect(await watch.stop('SIGINT')).toBe(0);
    expect(watch.output.stdout).toMatch(/^Watching handbook\. Ctrl-C ends it\.\n/);
  });
});

describe('a server with watch_folders', () => {
  it('keeps the collections in these folders like them, and reads no other', async () => {
    const other = join(sandbox.dir, 'private');
    await mkdir(other);
    await writeFile(join(other, 'secret.md'), '# Secret\nNobody said that this may be read.');
    await symlink(other, join(folder, 'link'));
    await run('docs', 'add', folder, '--name', 'handbook');
    const { url, stop } = await sandbox.serve([], { DOWSER_WATCH_FOLDERS: folder });
    for (const [name, place] of [
      ['other', other],
      ['linked', join(folder, 'link')],
    ]) {
      const headers = { 'content-type': 'application/json' };
      const made = await fetch(`${url}/api/collections`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ name, folder: place }),
      });
      expect(made.status).toBe(200);
    }
    await writeFile(join(folder, 'milk.md'), '# Milk\nMilk is warmed.');
    await follows(['milk.md', 'tea.md']);
    expect(await stop('SIGTERM')).toBe(0);
    // The next start compares everything, these too.
    await writeFile(join(folder, 'salt.md'), '# Salt\nSalt is not for tea.');
    const again = await sandbox.serve([], { DOWSER_WATCH_FOLDERS: `${folder}, ${join(sandbox.dir, 'none')}` });
    await follows(['milk.md', 'salt.md', 'tea.md']);
    expect([await sources('other'), await sources('linked')]).toEqual([[], []]);
    expect(await again.stop('SIGTERM')).toBe(0);
  });

  it('reads nothing for a collection that was made with a key', async () => {
    await run('docs', 'add', folder, '--name', 'handbook');
    const { key } = JSON.parse(await run('key', 'create', '--name', 'ana', '--scopes', 'read,write', '--json'));
    const { url } = await sandbox.serve(['--auth'], { DOWSER_WATCH_FOLDERS: folder });
    const made = await fetch(`${url}/api/collections`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ name: 'mine', folder }),
    });
    expect(made.status).toBe(200);
    await writeFile(join(folder, 'milk.md'), '# Milk\nMilk is warmed.');
    await follows(['milk.md', 'tea.md']);
    // The next start compares everything.
    expect(await sources('mine')).toEqual([]);
  });
});
