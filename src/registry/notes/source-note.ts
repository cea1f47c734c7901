import { canonicalJson } from '../../model/definitions.ts';
import type { SourceKey } from '../contract/observation.ts';
import type { SourceAccess } from './source-access.ts';

/** The annotations of a source. */
export const ANNOTATIONS = {
  source: 'source',
  definitions: 'definitions',
  drift: 'drift',
  liveness: 'liveness',
  /** Why an address was not asked at all: its health is unknown. */
  refusal: 'refusal',
  reading: 'reading',
} as const;

/** Where an entity came from: the annotation `source`. */
export interface SourceNote extends SourceKey {
  readonly part: string;
  readonly updated_at?: string;
  /** Only of a source that says who may read its entities. */
  readonly access?: SourceAccess;
}

/** What is known about one version of an entity by its source, to be kept with that version. */
export function sourceNotes(annotations: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  const known = Object.entries(annotations ?? {});
  return Object.fromEntries(known.filter(([key]) => Object.hasOwn(FORGET_SOURCE, key)));
}

/** The example catalog. An entity that a person adds at the same path replaces the example. */
export const EXAMPLE_SOURCE: SourceKey = { kind: 'example', locator: { name: 'example catalog' } };

export const isExample = (note: unknown): boolean => (note as SourceNote | undefined)?.kind === EXAMPLE_SOURCE.kind;

/** Deletes all annotations of a source. */
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

/** Equal for two readings of the same source. */
export const sourceKeyOf = ({ kind, locator }: SourceKey): string => canonicalJson({ kind, locator });
