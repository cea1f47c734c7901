import { readFileSync } from 'node:fs';

/** The unit of times in `/proc/PID/stat`. */
const TICKS_PER_SECOND = 100;

export interface ProcessUsage {
  /** The time on the cores so far, of all threads. */
  readonly cpuSeconds: number;
  readonly memoryMegabytes: number;
}

/** What a process takes; null where `/proc` is missing, or the process. */
export function processUsage(pid: number): ProcessUsage | null {
  const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
  try {
    return parseUsage(read('stat'), read('status'));
  } catch {
    return null;
  }
}

/** The second field of `stat` is the name of the program in parentheses, and may have spaces. */
export function parseUsage(stat: string, status: string): ProcessUsage {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    memoryMegabytes: Math.round(Number(kilobytes ?? 0) / 1024),
  };
}
