import type { EntityId } from '../model/entity.ts';
import type { DowserError } from '../model/errors.ts';

/** What can be read with `dowser add`. */
export const SOURCE_KINDS = ['mcp', 'config', 'a2a', 'skill', 'server', 'registry', 'ard'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

export function isSourceKind(value: unknown): value is SourceKind {
  return (SOURCE_KINDS as readonly unknown[]).includes(value);
}

/**
 * Where a source is, as plain JSON that may be stored and shown. It never holds a secret: where one was given, it has a
 * reference such as `${API_KEY}` in its place, which is filled in from the environment at the next reading.
 */
export type Locator = Readonly<Record<string, unknown>>;

/**
 * Where entities come from: a running server, a file, an address.
 *
 * Promises every source keeps:
 * - `read` does not throw for what one part makes go wrong: that is an item of its own, and the other parts go on. It throws
 *   a DowserError only when the source as a whole cannot be read.
 * - Items come in the same order as long as the source does not change.
 * - Whatever `read` opened (a process, a connection) is closed when the reading ends, is given up or is aborted.
 * - Neither items nor errors hold a secret that the source was opened with.
 */
export interface Source extends SourceTraits {
  readonly locator: Locator;
  /** What people call it, on one line. */
  readonly title: string;
  read(signal: AbortSignal): AsyncIterable<SourceItem>;
}

/** What all sources of one sort have in common. */
export interface SourceTraits {
  readonly kind: SourceKind;
  /** Reading it reaches the things themselves: one that does not answer is dead, and not only unlisted. */
  readonly live: boolean;
  /** It only lists things that are elsewhere: when it cannot be read, that says nothing about them. */
  readonly directory: boolean;
}

/** `part` names what of the source the item is about, the same at every reading; '' where a source has one part only. */
export type SourceItem =
  | {
      readonly part: string;
      /** Not yet checked: the registry does that, and keeps what else the definitions of its tools say. */
      readonly entity: Readonly<Record<string, unknown>>;
      /** When the source says it changed, ISO 8601. */
      readonly updatedAt?: string;
      readonly warnings: readonly string[];
    }
  | { readonly part: string; readonly problem: DowserError }
  /** The source has taken it back. */
  | { readonly part: string; readonly withdrawn: EntityId }
  /** Left out on purpose, with the reason. */
  | { readonly part: string; readonly skipped: string };

export interface SourceLimits {
  /** For a connection to be ready, the start of a process included. */
  readonly connectMs: number;
  /** For everything that is asked afterwards, and for one fetch. */
  readonly listMs: number;
  /** Of one document or message. */
  readonly maxBytes: number;
}

export const DEFAULT_LIMITS: SourceLimits = { connectMs: 10_000, listMs: 10_000, maxBytes: 10 * 1024 * 1024 };

/** What a source may need of its surroundings. */
export interface SourceContext {
  readonly env: NodeJS.ProcessEnv;
  readonly limits: SourceLimits;
  /** Dowser's own, which servers are told. */
  readonly version: string;
}
