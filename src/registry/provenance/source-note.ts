import { canonicalJson } from './drift.ts';
import type { SourceKey } from './observation.ts';

/** What Dowser notes of an entity besides what it is. */
export const ANNOTATIONS = {
  source: 'source',
  definitions: 'definitions',
  drift: 'drift',
  liveness: 'liveness',
  reading: 'reading',
} as const;

/** Where an entity came from: the annotation `source`. */
export interface SourceNote extends SourceKey {
  readonly part: string;
  readonly updated_at?: string;
}

/** The example catalog. Whatever a person adds at one of its paths takes the place of the example. */
export const EXAMPLE_SOURCE: SourceKey = { kind: 'example', locator: { name: 'example catalog' } };

export const isExample = (note: unknown): boolean => (note as SourceNote | undefined)?.kind === EXAMPLE_SOURCE.kind;

/** Leaves nothing of what was noted of an entity with its source. */
export const FORGET_SOURCE: Readonly<Record<string, null>> = Object.fromEntries(
  Object.values(ANNOTATIONS).map((key) => [key, null]),
);

/** Where something came from, in words: `from the example catalog`. */
export function originOf(note: SourceNote | undefined): string {
  if (isExample(note)) return 'from the example catalog';
  const { url, file, folder, command } = note?.locator ?? {};
  const place = url ?? file ?? folder ?? command;
  return place === undefined ? 'imported or added by hand' : `from ${place}`;
}

/** Two readings are of one source when they are of one kind at one place. */
export const sourceKeyOf = ({ kind, locator }: SourceKey): string => canonicalJson({ kind, locator });
