import type { HeldSearch } from '../../registry/contract/search-steps.ts';

/** The answer of a handler. Without a body if it is undefined; text is sent as it is, anything else as JSON. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Tells whether the answer still holds when it is asked for again. */
  readonly held?: HeldSearch | null;
}
