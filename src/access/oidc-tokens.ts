import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { unauthenticated } from '../model/caller/access-errors.ts';
import { callerOf } from '../model/caller/caller.ts';
import { DowserError } from '../model/errors/errors.ts';
import type { Identifier } from './identify.ts';
import { ISSUER_TIMEOUT_MS, IssuerMetadata } from './issuer-metadata.ts';
import { type ClaimSettings, identityOf } from './token-claims.ts';

export interface OidcSettings extends ClaimSettings {
  /** As in the `iss` claim. */
  readonly issuer: string;
  /** Any of them must be in the `aud` claim. */
  readonly audiences: readonly string[];
  /** Asymmetric ones only: with a shared secret, a program that checks tokens could make them. */
  readonly algorithms: readonly string[];
  readonly clockSkewSeconds: number;
  /** The least time between two readings of the keys, if a token names an unknown one. Default 30 seconds. */
  readonly cooldownMs?: number;
}

const COOLDOWN_MS = 30_000;
/** A long token costs time to check, and no issuer sends one. */
const MAX_TOKEN_CHARS = 16_384;

/** Checks the access tokens of one OpenID Connect issuer. Its keys are read when the first token comes, and when they change. */
export class OidcTokens implements Identifier {
  readonly #settings: OidcSettings;
  readonly #metadata: IssuerMetadata;
  #keys: Promise<JWTVerifyGetKey> | null = null;

  constructor(settings: OidcSettings, metadata = new IssuerMetadata(settings.issuer)) {
    this.#settings = settings;
    this.#metadata = metadata;
  }

  async identify(token: string) {
    if (token.length > MAX_TOKEN_CHARS || token.split('.').length !== 3) {
      throw unauthenticated('The credentials are neither an API key nor a signed token.');
    }
    const { issuer, audiences, algorithms, clockSkewSeconds } = this.#settings;
    const keys = await this.#readKeys();
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience: [...audiences],
        algorithms: [...algorithms],
        clockTolerance: clockSkewSeconds,
        requiredClaims: ['exp'],
      });
      return callerOf(identityOf(payload, this.#settings));
    } catch (thrown) {
      throw toRefusal(thrown, issuer);
    }
  }

  /** A failure is not kept: the next token tries again. */
  #readKeys(): Promise<JWTVerifyGetKey> {
    if (this.#keys !== null) return this.#keys;
    const reading = this.#discover();
    this.#keys = reading;
    reading.catch(() => {
      if (this.#keys === reading) this.#keys = null;
    });
    return reading;
  }

  async #discover(): Promise<JWTVerifyGetKey> {
    const { issuer, cooldownMs = COOLDOWN_MS } = this.#settings;
    try {
      const { jwksUri } = await this.#metadata.read();
      return createRemoteJWKSet(jwksUri, { timeoutDuration: ISSUER_TIMEOUT_MS, cooldownDuration: cooldownMs });
    } catch (thrown) {
      throw unavailable(issuer, thrown);
    }
  }
}

/** The errors of a token that is wrong. Any other means that it could not be checked. */
const WRONG: readonly (abstract new (...args: never[]) => Error)[] = [
  errors.JWTClaimValidationFailed,
  errors.JWTExpired,
  errors.JWTInvalid,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
];

function toRefusal(thrown: unknown, issuer: string): DowserError {
  if (thrown instanceof DowserError) return thrown;
  if (!WRONG.some((kind) => thrown instanceof kind)) return unavailable(issuer, thrown);
  return unauthenticated(reasonOf(thrown as Error), 'Sign in again to get a new token for this server.');
}

function reasonOf(thrown: Error): string {
  if (thrown instanceof errors.JWTExpired) return 'The token has expired.';
  if (thrown instanceof errors.JWTClaimValidationFailed)
    return `The claim '${thrown.claim}' of the token is not accepted.`;
  if (thrown instanceof errors.JOSEAlgNotAllowed) return 'The algorithm of the token is not accepted.';
  return 'The token is not valid.';
}

function unavailable(issuer: string, cause: unknown): DowserError {
  return new DowserError('AUTH_UNAVAILABLE', `The token cannot be checked: the keys of ${issuer} cannot be read.`, {
    hint: 'Try again soon. API keys still work.',
    cause,
  });
}
