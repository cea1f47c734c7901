import type { Progress } from '../progress.ts';
import type { SetFolder } from './set-folders.ts';

export const SECTION_NAMES = [
  'first-tool',
  'rankings',
  'long',
  'confidence',
  'cross-fit',
  'crowding',
  'findability',
  'names',
  'conversations',
  'graph',
] as const;
export type SectionName = (typeof SECTION_NAMES)[number];

export interface SectionContext {
  readonly sets: readonly SetFolder[];
  /** Limits the number of queries of each kind. */
  readonly most: (usual: number) => number;
  /** The largest catalog of `first-tool`, in servers. */
  readonly maxServers: number;
  readonly progress: Progress;
}

/** A part of the page. It says what it measured in Markdown, from a heading of the second level on. */
export interface Section {
  readonly heading: string;
  /** An empty list when the sets it needs are not there. */
  measure(context: SectionContext): Promise<readonly string[]>;
}
