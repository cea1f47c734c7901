const DAY_MS = 86_400_000;

/** How sure memories must be at least, at a moment in milliseconds, if a certainty halves in `days`. */
export interface CertaintyFloor {
  readonly least: number;
  readonly at: number;
  readonly days: number;
}

/** The memory service's: a certainty halves in this many days. */
export const CERTAINTY_DAYS = 30;

/**
 * How sure a memory still is: it fades in a straight line, by half in `days`, to nothing in twice that. A memory whose writer
 * said nothing about it is sure and does not fade. Times are milliseconds.
 */
export function certaintyAt(certainty: number | null, learned: number, now: number, days: number): number {
  if (certainty === null) return 1;
  const age = Math.max(0, now - learned) / DAY_MS;
  return certainty * Math.max(0, 1 - age / (2 * days));
}
