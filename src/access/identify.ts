import { unauthenticated } from '../model/caller/access-errors.ts';
import { type Caller, callerOf } from '../model/caller/caller.ts';
import { KEY_PREFIX } from './api-key.ts';
import type { KeyReader } from './key-store.ts';

/** Turns credentials into a caller. */
export interface Identifier {
  /**
   * The caller of a bearer token or an API key. Throws UNAUTHENTICATED, FORBIDDEN for a token that cannot say its groups, and
   * AUTH_UNAVAILABLE while it cannot be checked.
   */
  identify(credentials: string): Promise<Caller>;
}

/** The owner name of a key. No user has it: see `oidc-tokens.ts`. */
export const KEY_NAME_PREFIX = 'key:';

/** The caller of an API key. Throws UNAUTHENTICATED, and AUTH_UNAVAILABLE while it cannot be known. */
export async function callerOfKey(keys: KeyReader, key: string, now: Date): Promise<Caller> {
  const stored = await keys.find(key);
  if (stored === undefined) throw unauthenticated('The API key is not known here.');
  if (stored.revoked_at !== null) throw unauthenticated('The API key was revoked.');
  if (stored.expires_at !== null && stored.expires_at <= now.toISOString()) {
    throw unauthenticated('The API key has expired.');
  }
  const { name, groups, scopes, servers } = stored;
  return callerOf({ name: `${KEY_NAME_PREFIX}${name}`, groups, scopes, servers: servers ?? undefined });
}

export interface IdentifierParts {
  readonly keys: KeyReader;
  /** Checks the tokens of an OpenID Connect issuer. Null: only keys are accepted. */
  readonly tokens: Identifier | null;
  readonly now?: () => Date;
}

/** Keys are told from tokens by their prefix. */
export function createIdentifier({ keys, tokens, now = () => new Date() }: IdentifierParts): Identifier {
  return {
    async identify(credentials) {
      if (credentials.startsWith(KEY_PREFIX)) return callerOfKey(keys, credentials, now());
      if (tokens === null) throw unauthenticated('The credentials are no API key.');
      return tokens.identify(credentials);
    },
  };
}
