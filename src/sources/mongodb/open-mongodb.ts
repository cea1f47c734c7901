import { resolve } from 'node:path';
import { openDump } from './dump-folder.ts';
import { type GatewaySource, mongodbSource } from './mongodb-source.ts';

/** A dump of the database: a folder of `mongodump` or `mongoexport`, or one of their files. */
export function dumpSource(path: string, namespace?: string): GatewaySource {
  const folder = resolve(path);
  return mongodbSource({ open: async () => openDump(folder), locator: { folder }, title: folder, namespace });
}
