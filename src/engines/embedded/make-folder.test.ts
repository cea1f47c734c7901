import { chmodSync, existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { indexed, server, TOY_EMBEDDER, temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { makeFolder } from './make-folder.ts';
import { openEmbedded } from './open-embedded.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

it('makes what is missing, and leaves what is there', () => {
  const deep = join(folder.path, 'a', 'b', 'c');
  makeFolder(deep);
  makeFolder(deep);
  expect(statSync(deep).isDirectory()).toBe(true);
});

it('fails at once where a folder cannot be', () => {
  const file = join(folder.path, 'file');
  writeFileSync(file, '');
  const link = join(folder.path, 'link');
  symlinkSync(join(folder.path, 'nowhere'), link);
  const places = [
    file,
    join(file, 'below'),
    link,
    join(link, 'below'),
    ...(existsSync('/proc/1') ? ['/proc/dowser'] : []),
  ];
  for (const place of places) expect(() => makeFolder(place), place).toThrow(/E(EXIST|NOTDIR|NOENT|ACCES|PERM)/);
});

it('makes the folder and every file in it for the user alone, whatever the umask', async () => {
  const dir = join(folder.path, 'parent', 'data');
  const before = process.umask(0);
  try {
    const open = () => openEmbedded({ dir, embedder: TOY_EMBEDDER, snapshotAfterUnits: 1 });
    const engine = await open();
    await engine.store.put([indexed(server('/clock', 'Tells the time.'))]);
    await engine.close();
    // As an older version left it.
    chmodSync(join(dir, 'dowser.sqlite'), 0o644);
    const again = await open();
    await again.store.put([indexed(server('/mail', 'Sends mail.'))]);
    const modes = readdirSync(dir).map((name) => [name, statSync(join(dir, name)).mode & 0o777]);
    await again.close();
    expect(modes.length).toBeGreaterThan(3);
    expect(modes.filter(([, mode]) => mode !== 0o600)).toEqual([]);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
  } finally {
    process.umask(before);
  }
});
