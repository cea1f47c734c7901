import { afterEach, beforeEach, expect, it } from 'vitest';
import { countingReader, type TestDocuments, wordDocuments } from '../../test/support/document-folder.ts';
import { parseEntity } from '../model/entity.ts';
import type { DocumentEntity } from './collections/document-parts.ts';
import { ImportedCollections } from './imported-collections.ts';
import { sentFileId } from './scan/file-id.ts';
import { scanFolder } from './scan/scan-folder.ts';

let documents: TestDocuments;
beforeEach(async () => {
  documents = await wordDocuments();
});
afterEach(() => documents.close());

const GONE = '0123456789abcdef';
const fileAt = (path: string, collection: string, file: string) => ({
  type: 'document',
  path,
  name: file,
  body: 'Wash your cup.',
  files: [{ collection, path: file }],
});

async function restored(...entities: readonly object[]): Promise<void> {
  const imported = new ImportedCollections();
  for (const one of entities) {
    await documents.registry.put(one);
    imported.add(parseEntity(one).entity as DocumentEntity);
  }
  await imported.restore(documents);
}

const handbook = () => ({
  type: 'document',
  path: '/collections/handbook',
  name: 'handbook',
  collection: { folder: documents.folder },
});

it('keeps a file that was sent at the next scan, and removes a file that is gone from the folder', async () => {
  await documents.write({});
  const sent = sentFileId('handbook', 'sent.md');
  await restored(
    fileAt(`/files/${sent}`, 'handbook', 'sent.md'),
    fileAt(`/files/${GONE}`, 'handbook', 'gone.md'),
    handbook(),
  );
  expect((await documents.collections()).collections).toMatchObject([{ name: 'handbook', files: 2 }]);
  await scanFolder(await documents.collection('handbook'), { documents, reader: countingReader() });
  expect((await documents.sources('handbook')).sources.map(({ uri }) => uri)).toEqual(['sent.md']);
});

it('leaves out documents that no scan has made, and those of an unknown collection', async () => {
  await restored(
    handbook(),
    fileAt('/notes/cup', 'handbook', 'cup.md'),
    fileAt(`/files/${GONE}`, 'handbook', '../cup.md'),
    fileAt('/files/fedcba9876543210', 'cellar', 'cup.md'),
    { ...handbook(), path: '/elsewhere', name: 'other' },
  );
  expect((await documents.collections()).collections).toMatchObject([{ name: 'handbook', files: 0 }]);
});
