import { resolve } from 'node:path';
import { watchFolders } from '../../documents/scan/watch-folders.ts';
import type { KnownSource } from '../../registry/contract/observation.ts';
import type { Registry } from '../../registry/contract/registry.ts';
import { sourceKeyOf } from '../../registry/notes/source-note.ts';
import { reopenSource } from '../../sources/open/open-source.ts';
import type { SourceContext } from '../../sources/source.ts';
import type { TrustedSources } from '../../sources/trusted-sources.ts';
import { readSource, type SourceReport } from './read-source.ts';

export interface SkillWatch {
  readonly registry: Pick<Registry, 'sources' | 'observe'>;
  readonly context: SourceContext;
  /** Others may write to the registry: only folders that were added on this machine are read. */
  readonly trusted: Pick<TrustedSources, 'has'>;
  /** Absolute paths. Empty: every folder. */
  readonly wanted: readonly string[];
  readonly signal: AbortSignal;
  readonly onRead: (report: SourceReport) => void | Promise<void>;
  readonly onProblem: (folder: string, error: unknown) => void;
}

interface SkillFolder {
  readonly name: string;
  readonly folder: string;
  readonly known: KnownSource;
}

/** Whether a reading has changed what is stored. */
export const hasChanged = ({ state, results }: SourceReport): boolean =>
  state === 'failed' || results.some((result) => result.state !== 'unchanged' || result.drift !== null);

/** The folders of skills that were added here. */
export async function skillFolders({
  registry,
  trusted,
  wanted,
}: Pick<SkillWatch, 'registry' | 'trusted' | 'wanted'>): Promise<readonly SkillFolder[]> {
  const folders: SkillFolder[] = [];
  for (const known of await registry.sources()) {
    const { folder } = known.locator;
    if (known.kind !== 'skill' || typeof folder !== 'string' || !trusted.has(sourceKeyOf(known))) continue;
    if (wanted.length === 0 || wanted.includes(resolve(folder))) folders.push({ name: folder, folder, known });
  }
  return folders;
}

/**
 * Reads the folders of skills at the start and after each change, as `dowser refresh` does, until the signal aborts. What is stored of
 * one reading is stored at once, so a search sees the skills before it or after it.
 */
export function watchSkills(options: SkillWatch): Promise<void> {
  const { registry, context, signal, onRead, onProblem } = options;
  return watchFolders<SkillFolder, SourceReport>({
    signal,
    collections: () => skillFolders(options),
    scan: ({ known }) =>
      readSource(reopenSource(known.kind, known.locator, context), {
        observe: (observation) => registry.observe(observation),
        known,
        takeOver: false,
        dryRun: false,
        signal,
      }),
    onScanned: onRead,
    onProblem,
  });
}
