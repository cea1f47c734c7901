import { rename, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countingReader, START, type TestDocuments, wordDocuments } from '../../../test/support/document-folder.ts';
import { STALE_MS } from '../collections/file-notes.ts';
import type { Collection } from '../contract/document-answers.ts';
import { createDocuments } from '../create-documents.ts';
import { type ScanReport, scanFolder } from './scan-folder.ts';
import { type WatchOptions, watchFolders } from './watch-folders.ts';

let documents: TestDocuments;
beforeEach(async () => {
  documents = await wordDocuments();
  await documents.write({ 'a.md': '# Tea\nGreen tea.' });
  await documents.createCollection({ name: 'handbook', folder: documents.folder });
});
afterEach(() => documents.close());

const paths = async () => (await documents.sources('handbook')).sources.map(({ uri }) => uri);

/** A watch in this process, and what it has said. */
function start(options: Partial<WatchOptions<Collection, ScanReport>> = {}) {
  const stop = new AbortController();
  const problems: string[] = [];
  const waiting: { readonly isThere: () => Promise<boolean>; readonly go: () => void }[] = [];
  const look = async () => {
    for (const { isThere, go } of waiting) if (await isThere()) go();
  };
  const ended = watchFolders<Collection, ScanReport>({
    collections: async () => (await documents.collections()).collections,
    scan: (collection) => scanFolder(collection, { documents, reader: countingReader(), signal: stop.signal }),
    onScanned: look,
    onProblem: (collection, error) => {
      problems.push(`${collection}: ${(error as Error).message}`);
      void look();
    },
    signal: stop.signal,
    settleMs: 5,
    ...options,
  });
  const until = (isThere: () => Promise<boolean>) => new Promise<void>((go) => waiting.push({ isThere, go }));
  return {
    problems,
    until,
    stop() {
      stop.abort();
      return ended;
    },
  };
}

describe('watchFolders', () => {
  it('follows the files of a folder, also of folders that are made later', async () => {
    const watch = start();
    await watch.until(async () => (await paths()).join() === 'a.md');
    await documents.write({ 'deep/er/b.md': '# Coffee\nBlack.' });
    await watch.until(async () => (await paths()).join() === 'a.md,deep/er/b.md');
    await rm(`${documents.folder}/a.md`);
    await watch.until(async () => (await paths()).join() === 'deep/er/b.md');
    await watch.stop();
    expect(watch.problems).toEqual([]);
  });

  it('names a folder that is gone, and goes on when it is back', async () => {
    const watch = start({ reconcileMs: 50 });
    await watch.until(async () => (await paths()).join() === 'a.md');
    await rename(documents.folder, `${documents.folder}-away`);
    await watch.until(async () => watch.problems.length > 0);
    expect(watch.problems[0]).toContain('keeps its documents');
    await rename(`${documents.folder}-away`, documents.folder);
    await documents.write({ 'b.md': '# Coffee\nBlack.' });
    await watch.until(async () => (await paths()).join() === 'a.md,b.md');
    await watch.stop();
  });
});

describe('an answer', () => {
  const stale = async (at = START) => {
    const service = createDocuments(documents.registry, { now: () => new Date(at) });
    const { stale, warnings } = await service.search({ query: 'tea', collections: ['handbook'] });
    return [stale, warnings.filter((text) => text.includes('stale')).length];
  };

  it('says that it is stale from the first change that a scan finds until it has stored all', async () => {
    const reader = countingReader();
    const seen: unknown[] = [];
    const collection = await documents.collection('handbook');
    const slow = {
      async read(...args: Parameters<typeof reader.read>) {
        seen.push(await stale());
        return reader.read(...args);
      },
    };
    expect(await stale()).toEqual([undefined, 0]);
    await scanFolder(collection, { documents, reader: slow });
    expect(seen).toEqual([[['handbook'], 1]]);
    expect(await stale()).toEqual([undefined, 0]);
  });

  it('of a scan that died is stale for two minutes', async () => {
    await documents.putFiles('handbook', { scanning: true });
    expect(await stale()).toEqual([['handbook'], 1]);
    const later = new Date(Date.parse(START) + STALE_MS).toISOString();
    expect(await stale(later)).toEqual([undefined, 0]);
  });
});
