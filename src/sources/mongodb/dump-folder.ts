import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { createGunzip } from 'node:zlib';
import { DowserError } from '../../model/errors/errors.ts';
import type { JsonObject } from '../../model/json/json-object.ts';
import { cannotRead } from '../fetch/read-document.ts';
import { namedCollection } from './collections.ts';
import type { GatewayDatabase } from './gateway-database.ts';

/** `dump/mcp_registry/mcp_servers_default.bson` is two folders down. */
const MAX_DEPTH = 3;
const FILE = /^(.+)\.(bson|json|jsonl|ndjson)(\.gz)?$/;
const HINT = 'Give the folder of `mongodump`, or a folder of files of `mongoexport` with the names of the collections.';

/** Files of a dump by the name of their collection. `what` is a folder, or one such file. */
async function filesOf(what: string): Promise<ReadonlyMap<string, string>> {
  const found = await stat(what).catch((thrown: unknown) => {
    throw cannotRead(what, thrown, HINT);
  });
  const files = found.isDirectory() ? await filesIn(what, MAX_DEPTH) : [what];
  const collections = new Map<string, string>();
  for (const file of files.sort()) {
    const [, collection] = FILE.exec(basename(file)) ?? [];
    if (collection === undefined || collection.endsWith('.metadata')) continue;
    const other = collections.get(collection);
    // Only of those that are read: a dump of a whole server has system collections in each database.
    if (other !== undefined && namedCollection(collection).why === null) {
      throw new DowserError(
        'INVALID_FILE',
        `Both ${relative(what, other)} and ${relative(what, file)} are the collection ${collection}.`,
        { hint: 'Give the folder of one database.' },
      );
    }
    collections.set(collection, file);
  }
  return collections;
}

async function filesIn(folder: string, depth: number): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((thrown: unknown) => {
    throw cannotRead(folder, thrown);
  });
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isFile()) found.push(path);
    else if (entry.isDirectory() && depth > 1) found.push(...(await filesIn(path, depth - 1)));
  }
  return found;
}

/** Whether a folder or file has collections of an MCP gateway registry, by the names of its files. */
export async function isDump(what: string): Promise<boolean> {
  return [...(await filesOf(what)).keys()].some((name) => namedCollection(name).why === null);
}

/** A folder of `mongodump` or `mongoexport`, or one of their files. Nothing is opened to the network. */
export function openDump(what: string): GatewayDatabase {
  let files: Promise<ReadonlyMap<string, string>> | undefined;
  const open = () => (files ??= filesOf(what));
  return {
    collections: async () => [...(await open()).keys()].sort(),
    async *documents(collection, signal): AsyncGenerator<JsonObject> {
      const file = (await open()).get(collection);
      if (file === undefined) return;
      const { readBson, readExtendedJson } = await import('./bson-documents.ts');
      const input = createReadStream(file, { signal });
      const packed = file.endsWith('.gz');
      const bytes = packed ? input.pipe(createGunzip()) : input;
      if (packed) input.once('error', (error) => bytes.destroy(error));
      try {
        const isBson = /\.bson(?:\.gz)?$/.test(file);
        yield* isBson ? readBson(bytes, file) : readExtendedJson(bytes.setEncoding('utf8'), file);
      } catch (thrown) {
        signal.throwIfAborted();
        throw cannotRead(file, thrown);
      } finally {
        input.destroy();
        bytes.destroy();
      }
    },
    close: async () => {},
  };
}
