import { readFileSync } from 'node:fs';
import { markedProcesses } from './marked-processes.ts';

/** The bytes that each process of a run has read and written so far, by its id. */
export type ProcessIo = ReadonlyMap<number, number>;

/** An idle program wakes up now and then, and reads a few bytes. */
const MIN_BYTES = 4096;

/** Only Linux tells. Elsewhere it is empty, and so for processes that have exited. */
export function ioOfRun(run: string): ProcessIo {
  const found = new Map<number, number>();
  if (process.platform !== 'linux' || run === '') return found;
  for (const pid of markedProcesses(run)) {
    try {
      const counts = readFileSync(`/proc/${pid}/io`, 'utf8').matchAll(/^[rw]char: (\d+)$/gm);
      found.set(
        pid,
        [...counts].reduce((sum, [, bytes]) => sum + Number(bytes), 0),
      );
    } catch {
      // It has exited.
    }
  }
  return found;
}

/** Whether a process has started, or has read or written more than an idle one does. */
export function hasActivity(before: ProcessIo, after: ProcessIo): boolean {
  for (const [pid, bytes] of after) if (bytes - (before.get(pid) ?? 0) >= MIN_BYTES) return true;
  return false;
}
