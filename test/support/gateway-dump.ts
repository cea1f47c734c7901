import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { BSON, EJSON, Long, ObjectId } from 'bson';
import type { JsonObject } from '../../src/model/json/json-object.ts';
import type { GatewayCollections } from './gateway-documents.ts';

/** Numbers and ids in the types of the database. */
const typed = (document: JsonObject): JsonObject => ({
  ...document,
  ...(document.num_stars === undefined ? {} : { num_stars: Long.fromNumber(Number(document.num_stars)) }),
  ...(document._id === 1 ? { _id: new ObjectId() } : {}),
});

export type DumpFormat = 'bson' | 'bson.gz' | 'lines' | 'array' | 'indented';

const WRITERS: Readonly<
  Record<DumpFormat, readonly [string, (documents: readonly JsonObject[]) => Uint8Array | string]>
> = {
  bson: ['.bson', (all) => Buffer.concat(all.map((one) => BSON.serialize(one)))],
  'bson.gz': ['.bson.gz', (all) => gzipSync(Buffer.concat(all.map((one) => BSON.serialize(one))))],
  lines: ['.json', (all) => all.map((one) => `${EJSON.stringify(one, { relaxed: false })}\n`).join('')],
  array: ['.json', (all) => `[${all.map((one) => EJSON.stringify(one)).join(',')}]\n`],
  indented: ['.json', (all) => all.map((one) => `${EJSON.stringify(one, null, 2)}\n`).join('')],
};

/** Writes the collections as `mongodump` or `mongoexport` would. Gives the folder to name. */
export function writeDump(dir: string, { collections }: GatewayCollections, format: DumpFormat = 'bson'): string {
  const isDump = format.startsWith('bson');
  const folder = isDump ? join(dir, 'dump', 'mcp_registry') : join(dir, 'exported');
  mkdirSync(folder, { recursive: true });
  const [ending, write] = WRITERS[format];
  for (const [name, documents] of Object.entries(collections)) {
    writeFileSync(join(folder, `${name}${ending}`), write(documents.map(typed)));
    if (isDump)
      writeFileSync(join(folder, `${name}.metadata.json`), JSON.stringify({ collectionName: name, indexes: [] }));
  }
  return isDump ? join(dir, 'dump') : folder;
}
