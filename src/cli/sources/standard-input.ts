import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CommandRun } from '../context/context.ts';

/** The name of standard input among files. */
const STANDARD_INPUT = '-';

/**
 * The files, with standard input copied to a temporary file: an import reads its files twice. It is read to its end first, so
 * that `dowser export | dowser import -` opens the data folder for one command after the other. Deleted when the process ends.
 */
export async function withStandardInput(
  { err, signal }: Pick<CommandRun, 'err' | 'signal'>,
  files: readonly string[],
): Promise<readonly string[]> {
  if (!files.includes(STANDARD_INPUT)) return files;
  if (process.stdin.isTTY) err.write('Reading entities from standard input. End with Ctrl-D.\n');
  const folder = mkdtempSync(join(tmpdir(), 'dowser-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // Reports name a line by its file: `stdin:12`.
  const file = join(folder, 'stdin');
  await pipeline(process.stdin, createWriteStream(file), { signal });
  return [...new Set(files.map((name) => (name === STANDARD_INPUT ? file : name)))];
}

/** All of standard input as text. */
export async function readStandardInput(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
