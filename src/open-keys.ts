import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyStore } from './access/key-store.ts';
import type { Settings } from './config.ts';
import { storeFolder } from './engines/shared/copy-folder.ts';
import type { MigrateOptions } from './engines/shared/migrate.ts';
import type { OwnKeys } from './engines/shared/open-replica.ts';
import { DowserError } from './model/errors/errors.ts';

/** What the file of a node's own keys is called once the record has them. */
const MOVED_KEYS_FILE = 'keys-moved.sqlite';

/** The keys that a node had before it followed a record; undefined without any. Throws INVALID_FILE where they cannot be read. */
export async function ownKeys(dir: string): Promise<OwnKeys | undefined> {
  const { FileKeys, KEYS_FILE } = await import('./access/file-keys.ts');
  const file = join(dir, KEYS_FILE);
  if (!existsSync(file)) return undefined;
  const store = new FileKeys(dir);
  try {
    return {
      keys: store.all(),
      moved() {
        // A command may have moved them meanwhile.
        if (existsSync(file)) renameSync(file, join(dir, MOVED_KEYS_FILE));
      },
    };
  } finally {
    store.close();
  }
}

/**
 * The API keys of the settings: of the shared record, or of the data folder. Keys of the folder of a node are put into the
 * record first. Close them. Throws INVALID_SETTING for the folder of a node without its record: nobody would know a key made there.
 */
export async function openKeys({ engine, data_dir: dir, store }: Settings): Promise<KeyStore> {
  if (engine === 'memory' || store === undefined) {
    if (storeFolder(dir, false) !== dir) {
      throw new DowserError('INVALID_SETTING', `${dir} has the copy of a shared record, and 'store' is not set.`, {
        field: 'store',
        hint: 'Set DOWSER_STORE as for the server of this node: its keys are in the record.',
      });
    }
    const { FileKeys } = await import('./access/file-keys.ts');
    return new FileKeys(dir);
  }
  const keys = await recordKeys(store);
  const own = await ownKeys(dir);
  if (own === undefined) return keys;
  try {
    await keys.take(own.keys);
  } catch (error) {
    await keys.close();
    throw error;
  }
  own.moved();
  return keys;
}

async function recordKeys(store: string): Promise<KeyStore> {
  const { RecordKeys } = await import('./access/record-keys.ts');
  const { PostgresRecord } = await import('./engines/shared/postgres/postgres-record.ts');
  const record = new PostgresRecord(store);
  // Makes the tables where there are none yet.
  const read = async () => {
    await record.open();
    return (await record.keys()).keys;
  };
  return new RecordKeys({
    keys: read,
    async change(change) {
      await record.open();
      await record.inTurn(async (turn) => turn.write({ keys: change(await read()) }));
    },
    close: () => record.close(),
  });
}

/** API keys belong to what is moved. */
export async function copyKeys({ from, to }: Pick<MigrateOptions, 'from' | 'to'>): Promise<void> {
  const { FileKeys } = await import('./access/file-keys.ts');
  const toFolder = from.includes('://');
  const folder = new FileKeys(toFolder ? to : from);
  const record = await recordKeys(toFolder ? from : to);
  try {
    const keys = await (toFolder ? record : folder).all();
    if (keys.length > 0) await (toFolder ? folder : record).take(keys);
  } finally {
    folder.close();
    await record.close();
  }
}
