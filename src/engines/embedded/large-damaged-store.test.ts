import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { indexed, server, TOY_EMBEDDER, temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { openEmbedded } from './open-embedded.ts';
import { storeFilesIn } from './record/store-files.ts';

/** More than the first 2 MB, which were always compared. */
const ENTITIES = 2_500;
const PAGE_BYTES = 8192;
const FIRST_COMPARED_LATER = 257;

const root = temporaryFolder();
const SOUND = join(root.path, 'sound');
const dir = join(root.path, 'tried');
const { database: file } = storeFilesIn(dir);

beforeAll(async () => {
  const engine = await openEmbedded({ dir: SOUND, embedder: TOY_EMBEDDER });
  for (let at = 0; at < ENTITIES; at += 500)
    await engine.store.put(
      Array.from({ length: 500 }, (_, n) => indexed(server(`/s${at + n}`, `lamp${at + n} `.repeat(60)))),
    );
  await engine.close();
});
afterAll(() => root.remove());
beforeEach(() => {
  rmSync(dir, { recursive: true, force: true });
  cpSync(SOUND, dir, { recursive: true });
});

const pages = () => Math.floor(statSync(file).size / PAGE_BYTES);
const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

function change(by: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file);
  by(bytes);
  writeFileSync(file, bytes);
}

const opening = async () => {
  const engine = await openEmbedded({ dir, embedder: TOY_EMBEDDER });
  try {
    return (await engine.index.stats()).entities;
  } finally {
    await engine.close();
  }
};

describe('a store of many megabytes', () => {
  it('opens with everything if nothing is damaged', async () => {
    expect(pages()).toBeGreaterThan(2 * FIRST_COMPARED_LATER);
    expect(await opening()).toBe(ENTITIES);
  });

  it.each([
    ['the first page that is compared later', () => FIRST_COMPARED_LATER],
    ['a page in the middle', () => Math.floor(pages() / 2)],
    ['the last page', () => pages()],
  ])('is refused if %s is zeros, and stays as it is', async (_, pageOf) => {
    const count = pages();
    const no = pageOf();
    change((bytes) => bytes.fill(0, (no - 1) * PAGE_BYTES, no * PAGE_BYTES));
    const before = hashOf(file);
    await expect(opening()).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      message: expect.stringContaining(`1 of ${count} pages have a wrong checksum (${no})`),
      hint: expect.stringContaining('dowser doctor --repair'),
    });
    expect(hashOf(file)).toBe(before);
  });

  it('is refused if one letter of a text has changed, and says what the page holds', async () => {
    change((bytes) => {
      const at = bytes.lastIndexOf('lamp2000 lamp2000');
      expect(at).toBeGreaterThan(FIRST_COMPARED_LATER * PAGE_BYTES);
      bytes.write('L', at);
    });
    await expect(opening()).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      message: expect.stringMatching(/They hold: 1 of (?:entities|units of search)\./),
    });
  });

  it('is refused with every damaged page that it has', async () => {
    const damaged = Array.from({ length: 7 }, (_, n) => FIRST_COMPARED_LATER + 30 * n);
    change((bytes) => {
      for (const no of damaged) bytes[(no - 1) * PAGE_BYTES + 100]! ^= 1;
    });
    await expect(opening()).rejects.toMatchObject({
      message: expect.stringContaining(`7 of ${pages()} pages have a wrong checksum (257, 287, 317, 347, 377, ...)`),
    });
  });
});
