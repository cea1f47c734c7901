import type { KnownSource } from '../../registry/contract/observation.ts';

/** Clocks differ, and a registry may list a change some seconds after its time stamp. */
const OVERLAP_MS = 60_000;
/** Only a full reading finds entities that are gone without a notice: every tenth, and the first after a day. */
const MAX_PARTIAL = 9;
const MAX_PARTIAL_MS = 24 * 60 * 60 * 1000;

/** Whether sources of a kind can be asked for what changed since a time. */
export const tellsChanges = (kind: string): boolean => kind === 'registry';

/**
 * The time since when to ask a source for changes. Undefined: ask for everything. It is the start of the last complete reading
 * by our clock: the time stamps of a source may be older than changes it has already shown.
 */
export function changesSince({ kind, reading }: KnownSource, now: Date): string | undefined {
  if (!tellsChanges(kind) || reading === null || reading.partial >= MAX_PARTIAL) return undefined;
  const age = now.getTime() - Date.parse(reading.full_at);
  // A negative age means that the clock was set back.
  if (!(age >= 0 && age < MAX_PARTIAL_MS)) return undefined;
  return new Date(Date.parse(reading.started_at) - OVERLAP_MS).toISOString();
}
