import type { SourceLimits } from '../source.ts';
import type { ChildTransport } from './child-transport.ts';
import { hasActivity, ioOfRun } from './process-activity.ts';
import type { GiveUp } from './time-limit.ts';

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
