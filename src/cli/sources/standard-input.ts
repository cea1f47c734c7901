import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** What stands for standard input among files. */
export const STANDARD_INPUT = '-';

/** Standard input as a file, which can be read twice: once to see that it is text, once for its lines. */
export async function spoolInput(): Promise<{ readonly file: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'dowser-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  // Reports name a line by its file: `stdin:12`.
  const file = join(folder, 'stdin');
  try {
    await pipeline(process.stdin, createWriteStream(file));
  } catch (thrown) {
    await remove();
    throw thrown;
  }
  return { file, remove };
}
