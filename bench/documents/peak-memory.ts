import { readFileSync } from 'node:fs';

const LOOK_MS = 100;

/** The peak of the resident memory of a process and of its children, in megabytes, until it is stopped. Linux only. */
export function watchPeaks(pid: number): { stop(): { readonly own: number; readonly children: number } } {
  const peaks = { own: 0, children: 0 };
  const timer = setInterval(() => {
    peaks.own = Math.max(peaks.own, peakOf(pid));
    for (const child of childrenOf(pid)) peaks.children = Math.max(peaks.children, peakOf(child));
  }, LOOK_MS);
  return {
    stop() {
      clearInterval(timer);
      return peaks;
    },
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process has ended.
    return '';
  }
}

const peakOf = (pid: number): number => Number(/VmHWM:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;

const childrenOf = (pid: number): readonly number[] =>
  read(`/proc/${pid}/task/${pid}/children`).split(/\s+/).filter(Boolean).map(Number);
