import type { Scope } from './caller.ts';

/** What is known of an API key. The key itself is not stored. */
export interface StoredKey {
  /** To name it in a command. */
  readonly id: string;
  readonly name: string;
  readonly groups: readonly string[];
  readonly scopes: readonly Scope[];
  /** The paths of the only servers whose tools it may call. Null: every server. */
  readonly servers: readonly string[] | null;
  /** ISO 8601, as all times here. */
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

/** A key as it is kept, and as it moves from one store to another. */
export interface HashedKey extends StoredKey {
  /** Of the whole key. No two keys have the same. */
  readonly hash: string;
}
