import { isJsonObject } from '../model/json/json-object.ts';
import { isLoopbackName } from './reach.ts';

/** Where a person signs in, gets tokens, and signs out. */
export interface SignInEndpoints {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  /** Null: the issuer has none. */
  readonly end_session_endpoint: string | null;
}

/** What an issuer says about itself. */
interface Metadata {
  readonly jwksUri: URL;
  /** Null: it gives no tokens to people. */
  readonly endpoints: SignInEndpoints | null;
}

const DISCOVERY_PATHS = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'];
export const ISSUER_TIMEOUT_MS = 5000;

/** The metadata of one issuer. Read when it is needed, once for all who ask at the same time. */
export class IssuerMetadata {
  readonly #issuer: string;
  #last: { readonly at: number; readonly found: Metadata } | null = null;
  #reading: Promise<Metadata> | null = null;

  constructor(issuer: string) {
    this.#issuer = issuer;
  }

  /** `maxAgeMs`: what was read before is good for so long. A failure is not kept: the next one tries again. */
  read(maxAgeMs = Number.POSITIVE_INFINITY): Promise<Metadata> {
    if (this.#last !== null && Date.now() - this.#last.at < maxAgeMs) return Promise.resolve(this.#last.found);
    this.#reading ??= discover(this.#issuer)
      .then((found) => {
        this.#last = { at: Date.now(), found };
        return found;
      })
      .finally(() => {
        this.#reading = null;
      });
    return this.#reading;
  }
}

/** Throws the failure of the first address. */
async function discover(issuer: string): Promise<Metadata> {
  let failure: unknown;
  for (const path of DISCOVERY_PATHS) {
    try {
      return await readDocument(issuer, path);
    } catch (thrown) {
      failure ??= thrown;
    }
  }
  throw failure;
}

async function readDocument(issuer: string, path: string): Promise<Metadata> {
  const response = await fetch(issuer.replace(/\/$/, '') + path, {
    redirect: 'error',
    signal: AbortSignal.timeout(ISSUER_TIMEOUT_MS),
    headers: { Accept: 'application/json' },
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
  const found: unknown = await response.json();
  if (!isJsonObject(found) || found.issuer !== issuer) throw new Error('the document is of another issuer');
  const { jwks_uri } = found;
  if (typeof jwks_uri !== 'string' || !URL.canParse(jwks_uri)) throw new Error('the document has no jwks_uri');
  if (!isSafe(issuer, jwks_uri)) throw new Error('the jwks_uri is not https');
  return { jwksUri: new URL(jwks_uri), endpoints: endpointsOf(issuer, found) };
}

function endpointsOf(issuer: string, found: Readonly<Record<string, unknown>>): SignInEndpoints | null {
  const address = (name: string) => {
    const value = found[name];
    return typeof value === 'string' && isSafe(issuer, value) ? new URL(value).href : null;
  };
  const [authorization_endpoint, token_endpoint] = [address('authorization_endpoint'), address('token_endpoint')];
  if (authorization_endpoint === null || token_endpoint === null) return null;
  return { authorization_endpoint, token_endpoint, end_session_endpoint: address('end_session_endpoint') };
}

/** Over https, or from this machine where the issuer itself is on it. */
function isSafe(issuer: string, url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (issuer.startsWith('http:') && protocol === 'http:' && isLoopbackName(hostname));
}
