import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';

const ID_DIGITS = 16;

/** The same file has the same id in every collection. The id does not tell where the file is. */
export const fileIdOf = (location: string): string =>
  createHash('sha256').update(location).digest('hex').slice(0, ID_DIGITS);

/** The id of a file that was sent to a collection. */
export const sentFileId = (collection: string, path: string): string => fileIdOf(`sent:${collection}/${path}`);

/** SHA-256 of the bytes of a file, read in pieces. '' for more than `maxBytes`: a file may be larger than any disk, or grow. */
export async function hashFile(file: string, maxBytes: number, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  let bytes = 0;
  // A pipe that took the place of the file would be waited for without this flag.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
  const options = { flags: flags as unknown as string, ...(signal === undefined ? {} : { signal }) };
  for await (const piece of createReadStream(file, options)) {
    bytes += (piece as Buffer).length;
    if (bytes > maxBytes) return '';
    hash.update(piece as Buffer);
  }
  return hash.digest('hex');
}
