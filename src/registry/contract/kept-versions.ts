import type { McpServer } from '../../model/entity.ts';
import { serverVersion } from '../../model/server-version.ts';

/**
 * Other versions of a server are an annotation of it: search finds the default version only, which is the entity itself. They
 * survive a change of the entity and go with its deletion.
 */
export const VERSIONS_KEY = 'versions';

/** The most versions of a server, beside its default one. */
export const MAX_VERSIONS = 100;

export interface KeptVersion {
  readonly entity: McpServer;
  readonly added_at: string;
  /** What is known of this version by its source. */
  readonly notes?: Readonly<Record<string, unknown>>;
}

export function keptIn(annotations: Readonly<Record<string, unknown>> | undefined): readonly KeptVersion[] {
  const kept = annotations?.[VERSIONS_KEY];
  return Array.isArray(kept) ? (kept as readonly KeptVersion[]) : [];
}

export const hasKept = (annotations: Readonly<Record<string, unknown>> | undefined, version: string): boolean =>
  keptIn(annotations).some(({ entity }) => serverVersion(entity) === version);
