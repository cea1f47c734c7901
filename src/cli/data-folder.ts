import { constants } from 'node:fs';
import { access, lstat, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Settings } from '../config.ts';
import { DowserError } from '../model/errors.ts';

/** The folder is there, but not for us to write, or its disk is not. */
const READ_ONLY = ['EACCES', 'EPERM', 'EROFS'];

const HINT = 'Choose another folder with --data or DOWSER_DATA.';

export type FolderState = 'writable' | 'read-only' | 'missing';

/**
 * Whether there is a data folder; nothing is made for the question. Throws where there is none and could be none, or where
 * it may not be written.
 */
export async function findDataFolder(dir: string): Promise<boolean> {
  return (await stateOfFolder(dir)) === 'writable';
}

/** The same for commands that only read: a folder that may not be written will do. */
export async function stateOfFolder(dir: string, { reads = false } = {}): Promise<FolderState> {
  for (let at = dir; ; at = dirname(at)) {
    const trouble = at === dir ? `The data folder ${dir}` : `The data folder ${dir} cannot be made: ${at}`;
    try {
      const isFolder = (await stat(at)).isDirectory();
      if (!isFolder) {
        const message = `${trouble} is a file, not a folder.`;
        throw new DowserError('INVALID_SETTING', message, { field: 'data_dir', hint: HINT });
      }
      await access(at, constants.W_OK | constants.X_OK);
      return at === dir ? 'writable' : 'missing';
    } catch (thrown) {
      if (thrown instanceof DowserError) throw thrown;
      const { code = 'unknown' } = thrown as NodeJS.ErrnoException;
      if (code === 'ENOENT' && (await isLink(at))) {
        const message = `${trouble} is a link to something that is not there.`;
        throw new DowserError('INVALID_SETTING', message, { field: 'data_dir', hint: HINT });
      }
      // What lies below a file is found to be so when the file itself is reached.
      if ((code === 'ENOENT' || code === 'ENOTDIR') && dirname(at) !== at) continue;
      if (reads && READ_ONLY.includes(code)) return at === dir ? 'read-only' : 'missing';
      throw new DowserError('ENGINE_UNAVAILABLE', `${trouble} may not be written (${code}).`, {
        field: 'data_dir',
        hint: `Change its permissions. ${HINT}`,
        cause: thrown,
      });
    }
  }
}

const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );

/** Throws NOT_FOUND where there is no data folder, before anything makes one. */
export async function needDataFolder(
  { engine, data_dir: dir }: Pick<Settings, 'engine' | 'data_dir'>,
  options: { readonly reads?: boolean } = {},
): Promise<void> {
  if (engine === 'memory' || (await stateOfFolder(dir, options)) !== 'missing') return;
  throw new DowserError('NOT_FOUND', `There is no data folder ${dir} yet: nothing is registered.`, {
    hint: 'Name the folder with --data, or add something with `dowser add` or `dowser import`.',
  });
}
