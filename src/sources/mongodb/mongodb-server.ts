import type { MongoClient, MongoClientOptions } from 'mongodb';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { beforeChars, trimEndChars } from '../../model/text/trim-chars.ts';
import { networkReason } from '../fetch/bounded-fetch.ts';
import { publicUrl } from '../secrets/secret-references.ts';
import type { SourceLimits } from '../source.ts';
import type { GatewayDatabase } from './gateway-database.ts';
import { toPlain } from './plain-document.ts';

/** The database of the registry, unless the address names one. */
const DATABASE = 'mcp_registry';
/** Some documents of a batch may be large. */
const BATCH_DOCUMENTS = 200;

export const isServerAddress = (place: string): boolean => /^mongodb(?:\+srv)?:\/\//i.test(place);

export interface ServerOptions {
  readonly limits: Pick<SourceLimits, 'connectMs' | 'listMs'>;
  /** Default: the package `mongodb`, which is installed only where it is used. */
  readonly load?: () => Promise<typeof import('mongodb')>;
}

/**
 * The database on a server, MongoDB or what speaks its protocol. Only reads: `find` and `listCollections`. What the address says
 * wins; otherwise a secondary is read, if there is one, as it is at that moment.
 */
export async function openServer(
  url: string,
  { limits, load = () => import('mongodb') }: ServerOptions,
): Promise<GatewayDatabase> {
  const driver = await load().catch((cause: unknown) => {
    throw new DowserError('INVALID_SETTING', 'The package mongodb is not installed.', {
      hint: 'Run `npm install mongodb`, or move from a dump: `mongodump`, then `dowser migrate --from dump`.',
      cause,
    });
  });
  const shown = publicUrl(url).text;
  const toError = (thrown: unknown) => connectionError(thrown, shown);
  const options = withoutNamed(url, {
    appName: 'dowser',
    maxPoolSize: 2,
    connectTimeoutMS: limits.connectMs,
    serverSelectionTimeoutMS: limits.connectMs,
    socketTimeoutMS: limits.listMs,
    retryWrites: false,
    readPreference: 'secondaryPreferred',
    readConcernLevel: 'local',
  });
  if (hasMarksBeforeAt(url)) throw unreadable(url);
  const client = await connected(() => newClient(driver, url, options)).catch((thrown: unknown) => {
    throw thrown instanceof DowserError ? thrown : toError(thrown);
  });
  const database = client.db(databaseIn(url));
  return {
    async collections() {
      try {
        const found = await database.listCollections({}, { nameOnly: true }).toArray();
        return found.map(({ name }) => name).sort();
      } catch (thrown) {
        throw toError(thrown);
      }
    },
    async *documents(collection, signal): AsyncGenerator<JsonObject> {
      const cursor = database.collection(collection).find({}, { sort: { _id: 1 }, batchSize: BATCH_DOCUMENTS });
      const stop = () => void cursor.close().catch(() => {});
      signal.addEventListener('abort', stop, { once: true });
      try {
        for await (const document of cursor) {
          const plain = toPlain(document);
          if (isJsonObject(plain)) yield plain;
        }
        // A cursor that was closed ends without an error.
        signal.throwIfAborted();
      } catch (thrown) {
        signal.throwIfAborted();
        throw thrown instanceof DowserError ? thrown : toError(thrown);
      } finally {
        signal.removeEventListener('abort', stop);
        await cursor.close().catch(() => {});
      }
    },
    close: () => client.close(),
  };
}

/** The driver takes an option before the same one of the address. */
function withoutNamed(url: string, options: MongoClientOptions): MongoClientOptions {
  const named = [...url.matchAll(/[?&](\w+)=/g)].map(([, name]) => name!.toLowerCase());
  return Object.fromEntries(Object.entries(options).filter(([name]) => !named.includes(name.toLowerCase())));
}

/** The driver would take a part of such a password as a host. */
function hasMarksBeforeAt(url: string): boolean {
  const user = url.slice(url.indexOf('://') + 3, Math.max(0, url.lastIndexOf('@')));
  return ['/', '?', '#', '@'].some((mark) => user.includes(mark));
}

function newClient({ MongoClient }: typeof import('mongodb'), url: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(url, options);
  } catch {
    throw unreadable(url);
  }
}

/** Shows the scheme only: what else is the password is not known. What the driver says may contain it. */
function unreadable(url: string): DowserError {
  const [scheme = ''] = /^[a-z+]+:\/\//i.exec(url) ?? [];
  return new DowserError('SOURCE_UNREACHABLE', `The ${scheme} address cannot be understood.`, {
    hint: 'In a user, a password and an option, write : / ? # [ ] @ and % percent-encoded, such as %2F for /. Check the host and the options.',
  });
}

async function connected(create: () => MongoClient): Promise<MongoClient> {
  const client = create();
  try {
    return await client.connect();
  } catch (thrown) {
    // It would go on watching the server.
    await client.close();
    throw thrown;
  }
}

/** `mongodb://host:27017,other/name?tls=true` -> `name` */
function databaseIn(url: string): string {
  const [, rest = ''] = /^[a-z+]+:\/\/[^/?]*\/?(.*)$/i.exec(url) ?? [];
  const name = trimEndChars(beforeChars(rest, '?'), '/');
  return name === '' ? DATABASE : decodeURIComponent(name);
}

/** 18: the sign-in failed; 13: it is not allowed; 8000: the same of a hosted server. */
const REFUSALS: readonly unknown[] = [18, 13, 8000];

function connectionError(thrown: unknown, shown: string): DowserError {
  const { code } = thrown as { readonly code?: unknown };
  if (REFUSALS.includes(code)) {
    return new DowserError('FORBIDDEN', `${shown} refuses: ${(thrown as Error).message}`, {
      hint: 'Check the user, the password and authSource in the address. The user needs the role read.',
    });
  }
  return new DowserError('SOURCE_UNREACHABLE', `${shown} cannot be read (${networkReason(thrown)}).`, {
    hint: 'Check the address and the network. A server with TLS needs tls=true, and tlsCAFile for its own certificates.',
  });
}
