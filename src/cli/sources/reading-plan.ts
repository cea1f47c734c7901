import type { KnownSource } from '../../registry/provenance/observation.ts';

/** Two clocks are rarely the same, and a registry may show a change some seconds after it stamped it. */
const OVERLAP_MS = 60_000;
/** Something that vanished without a word is only missed by a full reading: the tenth, or the first after a day. */
const MAX_PARTIAL = 9;
const MAX_PARTIAL_MS = 24 * 60 * 60 * 1000;

/** Whether sources of a kind can be asked for what changed since a time. */
export const tellsChanges = (kind: string): boolean => kind === 'registry';

/**
 * From when on a source is asked for changes; undefined: for everything. Counted from the start of the last complete
 * reading, by the own clock: what a source stamps may be older than what it had already shown.
 */
export function changesSince({ kind, reading }: KnownSource, now: Date): string | undefined {
  if (!tellsChanges(kind) || reading === null || reading.partial >= MAX_PARTIAL) return undefined;
  const age = now.getTime() - Date.parse(reading.full_at);
  // An age below zero is a clock that was set back.
  if (!(age >= 0 && age < MAX_PARTIAL_MS)) return undefined;
  return new Date(Date.parse(reading.started_at) - OVERLAP_MS).toISOString();
}
