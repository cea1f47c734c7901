import { constants } from 'node:fs';
import { access, lstat, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DowserError } from '../../model/errors/errors.ts';

/** The folder exists, but we may not write to it, or its disk is read-only. */
const READ_ONLY = ['EACCES', 'EPERM', 'EROFS'];

const HINT = 'Choose another folder with --data or DOWSER_DATA.';

export type FolderState = 'writable' | 'read-only' | 'missing';

/**
 * Whether there is a data folder. Creates nothing. Throws where a folder cannot be created, and where it cannot be written,
 * unless the command only `reads`.
 */
export async function stateOfFolder(dir: string, { reads = false } = {}): Promise<FolderState> {
  for (let at = dir; ; at = dirname(at)) {
    const trouble = at === dir ? `The data folder ${dir}` : `The data folder ${dir} cannot be created: ${at}`;
    try {
      if (!(await stat(at)).isDirectory()) throw invalid(`${trouble} is a file, not a folder.`);
      await access(at, constants.W_OK | constants.X_OK);
      return at === dir ? 'writable' : 'missing';
    } catch (thrown) {
      if (thrown instanceof DowserError) throw thrown;
      const { code = 'unknown' } = thrown as NodeJS.ErrnoException;
      if (code === 'ENOENT' && (await isLink(at)))
        throw invalid(`${trouble} is a link to something that does not exist.`);
      // A path below a file is refused when the loop reaches the file.
      if ((code === 'ENOENT' || code === 'ENOTDIR') && dirname(at) !== at) continue;
      if (reads && READ_ONLY.includes(code)) return at === dir ? 'read-only' : 'missing';
      throw new DowserError('ENGINE_UNAVAILABLE', `${trouble} cannot be written (${code}).`, {
        field: 'data_dir',
        hint: `Change its permissions. ${HINT}`,
        cause: thrown,
      });
    }
  }
}

const invalid = (message: string) => new DowserError('INVALID_SETTING', message, { field: 'data_dir', hint: HINT });

const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
