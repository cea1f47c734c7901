import type { EntityId } from '../model/entity.ts';
import type { DowserError } from '../model/errors/errors.ts';
import type { ReadKeychain } from './secrets/keychain.ts';

/** The kinds of sources of `dowser add`. */
export const SOURCE_KINDS = [
  'mcp',
  'config',
  'a2a',
  'skill',
  'server',
  'registry',
  'ard',
  'npm',
  'dowser',
  'mongodb',
] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

export function isSourceKind(value: unknown): value is SourceKind {
  return (SOURCE_KINDS as readonly unknown[]).includes(value);
}

/**
 * Where a source is, as plain JSON to store and show. It contains no secret, but references such as `${API_KEY}`, which are
 * filled in from the environment at each reading.
 */
export type Locator = Readonly<Record<string, unknown>>;

/**
 * Where entities come from: a running server, a file, an address.
 *
 * Every source promises:
 * - A failing part is an item with an error; the other parts go on. `read` throws a DowserError only when the whole source
 *   cannot be read.
 * - Items have the same order as long as the source does not change.
 * - `read` closes its processes and connections when it ends, is abandoned or is aborted.
 * - Items and errors contain no secret of the source.
 */
export interface Source extends SourceTraits {
  readonly locator: Locator;
  /** The name for people, on one line. */
  readonly title: string;
  read(signal: AbortSignal): AsyncIterable<SourceItem>;
  /**
   * For a source that is the record of its entities: after a whole reading, whether a part that was not listed is deleted there.
   * Absent: it does not answer, and its entity is dead.
   */
  readonly isGone?: (part: string) => boolean;
}

export interface SourceTraits {
  readonly kind: SourceKind;
  /** Reading it reaches the servers or agents themselves: one that does not answer is dead. */
  readonly live: boolean;
  /** It only lists entities that live elsewhere: if it cannot be read, they may still be alive. */
  readonly directory: boolean;
}

/** `part` identifies the item within the source, the same at every reading; '' for a source with one part. */
export type SourceItem =
  | {
      readonly part: string;
      /** Unchecked: the registry parses it, and digests the complete definitions of its tools. */
      readonly entity: Readonly<Record<string, unknown>>;
      /** The time of the last change according to the source, ISO 8601. */
      readonly updatedAt?: string;
      /** The other versions of a server, all of them. Absent: the source knows nothing of versions. */
      readonly versions?: readonly Readonly<Record<string, unknown>>[];
      readonly warnings: readonly string[];
    }
  | { readonly part: string; readonly problem: DowserError }
  /** The source has withdrawn it. */
  | { readonly part: string; readonly withdrawn: EntityId }
  /** Skipped on purpose, with the reason. */
  | { readonly part: string; readonly skipped: string };

export interface SourceLimits {
  /** To connect. For a program: after its last sign of progress. */
  readonly connectMs: number;
  /** For a program to start, however much progress it makes. */
  readonly startMs: number;
  /** For all requests after that, and for one fetch. */
  readonly listMs: number;
  /** The size limit of one document or message. */
  readonly maxBytes: number;
  /** For the whole source. */
  readonly totalMs: number;
  /** The most items of one source. */
  readonly maxItems: number;
}

export const DEFAULT_LIMITS: SourceLimits = {
  connectMs: 10_000,
  startMs: 300_000,
  listMs: 10_000,
  maxBytes: 10 * 1024 * 1024,
  totalMs: 600_000,
  maxItems: 50_000,
};

export interface SourceContext {
  readonly env: NodeJS.ProcessEnv;
  /** Reads what `${keychain:name}` refers to. Default: such references are refused. */
  readonly keychain?: ReadKeychain;
  readonly limits: SourceLimits;
  /** Dowser's version, sent to servers. */
  readonly version: string;
  /** The folder with the sign-ins at remote servers. Default: none. */
  readonly signInFolder?: string;
  /** Called with a sentence about `title` while a reading takes long. */
  readonly onNotice?: (title: string, notice: string) => void;
}
