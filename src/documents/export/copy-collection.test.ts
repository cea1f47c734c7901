import { afterEach, beforeEach, expect, it } from 'vitest';
import { countingReader, type TestDocuments, wordDocuments } from '../../../test/support/document-folder.ts';
import { scanFolder } from '../scan/scan-folder.ts';
import { copyCollection } from './copy-collection.ts';

let [from, to]: TestDocuments[] = [];
beforeEach(async () => {
  [from, to] = [await wordDocuments(), await wordDocuments()];
});
afterEach(async () => {
  await from?.close();
  await to?.close();
});

it('copies the files that were read with their warnings, and nothing of the machine', async () => {
  await from!.write({
    'a.md': '# Tea\nGreen tea.',
    'b.md': '# Coffee\nBlack coffee.',
    'c.bin': new Uint8Array([0xff, 0xc0]),
  });
  await from!.createCollection({ name: 'handbook', folder: from!.folder, note: 'The kitchen.' });
  const inner = countingReader();
  const read: typeof inner.read = async (input) => {
    const result = await inner.read(input);
    return 'path' in input && input.path.endsWith('b.md') ? { ...result, warnings: ['A page is damaged.'] } : result;
  };
  await scanFolder(await from!.collection('handbook'), { documents: from!, reader: { read } });
  expect(await copyCollection('handbook', { from: from!, registry: from!.registry, to: to! })).toBe(2);

  const own = (await from!.sources('handbook')).sources.filter(({ status }) => status === 'completed');
  expect(own.map(({ message }) => message)).toEqual([undefined, 'A page is damaged.']);
  expect((await to!.sources('handbook')).sources).toEqual(own);
  const copied = await to!.collection('handbook');
  expect(copied).toMatchObject({ folder: null, files: 2, unread: 0, notes: [{ folder: '', note: 'The kitchen.' }] });
  expect((await to!.fileStates('handbook')).files.map(({ mtime_ms, hash }) => [mtime_ms, hash])).toEqual([
    [0, ''],
    [0, ''],
  ]);
});
