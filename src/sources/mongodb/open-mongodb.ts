import { resolve } from 'node:path';
import { DowserError } from '../../model/errors/errors.ts';
import { fillSpec, type RemoteSpec } from '../fetch/remote-source.ts';
import { publicUrl } from '../secrets/secret-references.ts';
import type { SourceContext, SourceItem } from '../source.ts';
import { openDump } from './dump-folder.ts';
import { openServer } from './mongodb-server.ts';
import { type GatewaySource, mongodbSource } from './mongodb-source.ts';

/** A dump of the database: a folder of `mongodump` or `mongoexport`, or one of their files. */
export function dumpSource(path: string, namespace?: string): GatewaySource {
  const folder = resolve(path);
  return mongodbSource({ open: async () => openDump(folder), locator: { folder }, title: folder, namespace });
}

/**
 * The database on its server. The password is a reference in the locator, filled in from the environment at each reading. Items
 * and errors do not contain it.
 */
export function serverSource(spec: RemoteSpec, context: SourceContext, namespace?: string): GatewaySource {
  const { text: shown } = publicUrl(spec.url);
  const open = async () => openServer((await fillSpec(spec, context)).url, { limits: context.limits });
  const source = mongodbSource({ open, locator: { url: shown }, title: shown, namespace });
  return {
    ...source,
    async *read(signal): AsyncGenerator<SourceItem> {
      const { redactor } = await fillSpec(spec, context);
      try {
        for await (const item of source.read(signal)) {
          yield 'problem' in item ? { ...item, problem: redactor.error(item.problem) } : redactor.json(item);
        }
      } catch (thrown) {
        throw thrown instanceof DowserError ? redactor.error(thrown) : thrown;
      }
    },
  };
}
