import { readdirSync, readFileSync } from 'node:fs';

/** Processes inherit it. A program that leaves its process group still has it. */
export const RUN_VARIABLE = 'DOWSER_SOURCE_RUN';

/** A process may start another one while they are being killed. */
const ROUNDS = 5;

/**
 * Kills every process of this user that was started with the mark of a run, whatever its group and parent. Only Linux tells
 * the environment of other processes; elsewhere it does nothing.
 */
export function killMarked(run: string): void {
  if (process.platform !== 'linux') return;
  for (let round = 0; round < ROUNDS; round++) {
    const found = markedProcesses(run);
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has exited.
      }
    }
  }
}

/** Linux only. */
export function markedProcesses(run: string): readonly number[] {
  const mark = `${RUN_VARIABLE}=${run}`;
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    try {
      return readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(mark) ? [pid] : [];
    } catch {
      // It has exited, or belongs to somebody else.
      return [];
    }
  });
}
