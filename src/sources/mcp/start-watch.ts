import { readFileSync } from 'node:fs';
import type { SourceLimits } from '../source.ts';
import type { ChildTransport } from './child-transport.ts';
import { markedProcesses } from './marked-processes.ts';
import type { GiveUp } from './time-limit.ts';

/** The bytes that each process of a run has read and written so far, by its id. */
type ProcessIo = ReadonlyMap<number, number>;

/** An idle program wakes up now and then, and reads a few bytes. */
const MIN_BYTES = 4096;

/** Package managers say this of what they fetch. */
const FETCHING =
  /\bnpm http fetch\b|\b(?:downloading|downloaded|pulling|installing|preparing packages)\b|unable to find image/i;
export const FETCHING_PACKAGE = 'fetching its package';
/** A shorter wait needs no notice. */
const NOTICE_MS = 2000;
const SAMPLE_MS = 1000;

export interface StartWatchOptions {
  readonly limits: Pick<SourceLimits, 'connectMs' | 'startMs'>;
  /** The process that is starting. */
  readonly child: () => ChildTransport | undefined;
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/**
 * Waits for a program as long as it makes progress: `connectMs` after its last sign of life, `startMs` in all. Signs are
 * lines on standard error and, on Linux, what its processes read and write: a package manager may print nothing while it fetches.
 */
export function watchStart({ limits, child, onNotice }: StartWatchOptions, giveUp: GiveUp): () => void {
  const { connectMs, startMs } = limits;
  const began = performance.now();
  let last = began;
  let written = 0;
  let io = ioOfRun('');
  let noticed = false;

  const check = () => {
    const now = performance.now();
    const running = child();
    const nextWritten = running?.stderrChars ?? 0;
    const nextIo = ioOfRun(running?.run ?? '');
    if (nextWritten > written || hasActivity(io, nextIo)) last = now;
    written = nextWritten;
    io = nextIo;
    const isFetching = FETCHING.test(running?.stderr ?? '');
    if (!noticed && now - began >= NOTICE_MS) {
      noticed = true;
      onNotice?.(
        isFetching
          ? 'The package is being fetched. The first start can take minutes.'
          : 'Waiting for the server to start.',
      );
    }
    if (now - last >= connectMs) giveUp(`did not start within ${connectMs / 1000} s`);
    else if (now - began >= startMs) {
      giveUp(`was still ${isFetching ? FETCHING_PACKAGE : 'starting'} after ${startMs / 1000} s`);
    }
  };
  const timer = setInterval(check, Math.min(SAMPLE_MS, connectMs / 4, startMs / 4));
  return () => clearInterval(timer);
}

/** Only Linux tells. Elsewhere it is empty, and so for processes that have exited. */
function ioOfRun(run: string): ProcessIo {
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
function hasActivity(before: ProcessIo, after: ProcessIo): boolean {
  for (const [pid, bytes] of after) if (bytes - (before.get(pid) ?? 0) >= MIN_BYTES) return true;
  return false;
}
