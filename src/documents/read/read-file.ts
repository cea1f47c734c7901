import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { ReadProblem } from './text/read-problem.ts';

/** A file that an editor saves at this moment is whole at the second look. */
const TRIES = 2;

/**
 * The bytes of a file, all of one moment. Throws ReadProblem. `whileReading` is called between opening and reading, for tests
 * of files that change.
 */
export async function readWholeFile(path: string, maxBytes: number, whileReading = () => {}): Promise<Uint8Array> {
  const name = basename(path);
  for (let tries = 1; ; tries++) {
    const bytes = await readOnce(path, name, maxBytes, whileReading);
    if (bytes !== null) return bytes;
    if (tries === TRIES) throw new ReadProblem('changed', `${name} changed while it was read. Scan again later.`);
  }
}

async function readOnce(
  path: string,
  name: string,
  maxBytes: number,
  whileReading: () => void,
): Promise<Uint8Array | null> {
  let file: FileHandle | undefined;
  try {
    // A pipe that is opened without this flag waits until somebody writes to it.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const before = await file.stat();
    if (!before.isFile()) throw new ReadProblem('not_a_file', `${name} is not a file.`);
    if (before.size > maxBytes) {
      const limit = `${name} has ${before.size} bytes, and the limit is ${maxBytes}.`;
      throw new ReadProblem('too_large', `${limit} Raise the limit, or split the file into parts.`);
    }
    whileReading();
    const bytes = await readSize(file, before.size);
    const after = await file.stat();
    const isSame = after.size === before.size && after.mtimeMs === before.mtimeMs && bytes.length === before.size;
    return isSame ? bytes : null;
  } catch (error) {
    throw asProblem(error, name);
  } finally {
    await file?.close();
  }
}

async function readSize(file: FileHandle, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await file.read(bytes, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

function asProblem(error: unknown, name: string): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (error instanceof ReadProblem || code === undefined) return error;
  if (code === 'ENOENT' || code === 'ENOTDIR') return new ReadProblem('not_found', `${name} does not exist.`);
  return new ReadProblem('no_access', `${name} cannot be opened (${code}).`);
}
