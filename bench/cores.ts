import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Cores as `taskset` takes them, such as `0,2-3`. */
type Cores = string;

interface TwoCores {
  readonly own: Cores;
  readonly others: Cores;
  readonly all: Cores;
  /** All threads of this process run there from now on, and what it starts later. */
  pinTo(cores: Cores): void;
  /**
   * The event loop has `own`. The other threads of this process have `others`, before all other processes if that is allowed: with
   * a machine of its own, a garbage collection would not wait for a core while the load uses it.
   */
  pinEventLoop(): void;
}

/** One core for this process and the others for what it starts; null without `taskset` (Linux) or with one core. */
export function twoCores(): TwoCores | null {
  const pin = (cores: Cores, ...which: readonly string[]) =>
    void execFileSync('taskset', [...which, '--cpu-list', '--pid', cores, `${process.pid}`], { stdio: 'pipe' });
  const pinTo = (cores: Cores) => pin(cores, '--all-tasks');
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    const all = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '';
    const [own, ...others] = coresIn(all);
    if (own === undefined || others.length === 0) return null;
    pinTo(all);
    const cores = { own: `${own}`, others: others.join(',') };
    const pinEventLoop = () => {
      pinTo(cores.others);
      pin(cores.own);
      for (const thread of readdirSync('/proc/self/task')) if (thread !== `${process.pid}`) runFirst(thread);
    };
    return { ...cores, all, pinTo, pinEventLoop };
  } catch {
    return null;
  }
}

/** Before all processes of a usual priority. Only an administrator may do that. */
function runFirst(thread: string): void {
  try {
    execFileSync('chrt', ['--rr', '--pid', '1', thread], { stdio: 'pipe' });
  } catch {
    // Then it waits for its turn.
  }
}

/** The command that runs a program on some cores; on any if none are named. */
export function atCore(cores: Cores | undefined, command: readonly string[]): readonly string[] {
  return cores === undefined ? command : ['taskset', '--cpu-list', cores, ...command];
}

/** The numbers of a list such as `0,2-3`. */
export function coresIn(list: Cores): readonly number[] {
  return list.split(',').flatMap((range) => {
    if (range === '') return [];
    const [first, last = first] = range.split('-').map(Number);
    return Array.from({ length: last! - first! + 1 }, (_, n) => first! + n);
  });
}
