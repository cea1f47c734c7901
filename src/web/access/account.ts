import { api, type Failure, type OperationResult } from '../data/api.ts';
import { holdSession, type Session, storeKey } from '../data/key.ts';
import { navigate } from '../data/navigation.ts';

/** Where the issuer sends people back to. The policy of this page alone allows its token endpoint. */
const CALLBACK = '/ui/signed-in';
const redirectUri = location.origin + CALLBACK;

type SignIn = NonNullable<OperationResult<'getAuthConfig'>['sign_in']>;
type Endpoints = NonNullable<SignIn['endpoints']>;
type Issuer = Omit<SignIn, 'endpoints'> & Endpoints;

/** What must come back from the issuer, and where to go on. No token. */
interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly from: string;
}
const PENDING = 'dowser-sign-in';

class Refusal extends Error implements Failure {
  readonly code;
  readonly hint;
  constructor(code: Failure['code'], message: string, hint: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

const refused = (message: string, hint = 'Sign in again.') => new Refusal('UNAUTHENTICATED', message, hint);
const away = (message: string) => new Refusal('AUTH_UNAVAILABLE', message, 'Try again soon. API keys still work.');

async function readIssuer(): Promise<Issuer> {
  const { sign_in } = await api.getAuthConfig();
  if (sign_in === null) throw refused('This server has no sign-in with an account.', 'Use an API key.');
  const { endpoints, ...rest } = sign_in;
  if (endpoints === null) throw away(`The sign-in service ${rest.issuer} cannot be reached.`);
  return { ...rest, ...endpoints };
}

const BASE64URL: Readonly<Record<string, string>> = { '+': '-', '/': '_', '=': '' };
const toBase64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (sign) => BASE64URL[sign]!);
const random = () => toBase64Url(crypto.getRandomValues(new Uint8Array(32)));

/** Leaves the page for the issuer. Throws if it cannot. */
export async function startSignIn(): Promise<void> {
  if (!isSecureContext)
    throw refused('Signing in with an account needs https.', 'Open this page by its https address.');
  const { authorization_endpoint, client_id, scope, resource } = await readIssuer();
  const from = location.pathname + location.search;
  const pending: Pending = { state: random(), nonce: random(), verifier: random(), from };
  try {
    sessionStorage.setItem(PENDING, JSON.stringify(pending));
  } catch {
    throw refused(
      'This browser does not let the page store anything.',
      'Allow this site to store data, or use an API key.',
    );
  }
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.verifier));
  const url = new URL(authorization_endpoint);
  const query: Readonly<Record<string, string>> = {
    response_type: 'code',
    client_id,
    redirect_uri: redirectUri,
    scope,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: toBase64Url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    ...(resource === null ? {} : { resource }),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  location.assign(url);
}

/** It counts once. */
function takePending(): Pending | null {
  try {
    const text = sessionStorage.getItem(PENDING);
    sessionStorage.removeItem(PENDING);
    return text === null ? null : (JSON.parse(text) as Pending);
  } catch {
    return null;
  }
}

/**
 * On the way back from the issuer: checks what it says, and gets the tokens. Elsewhere it does nothing. The code leaves the
 * address bar and the history at once.
 */
export async function finishSignIn(): Promise<void> {
  if (location.pathname !== CALLBACK) return;
  const answer = new URLSearchParams(location.search);
  const [code, error, state] = [answer.get('code'), answer.get('error'), answer.get('state')];
  const pending = takePending();
  const isOurs = pending !== null && state === pending.state;
  navigate(isOurs ? pending.from : '/', 'replace');
  if (code === null && error === null) return;
  if (!isOurs) {
    throw refused(
      'The answer of the sign-in service was not asked for by this tab.',
      'Nobody was signed in. Sign in again.',
    );
  }
  const issuer = await readIssuer();
  const from = answer.get('iss');
  if (from !== null && from !== issuer.issuer) throw refused(`The answer is of another sign-in service: ${from}.`);
  if (code === null) throw refused(`The sign-in service refused: ${answer.get('error_description') ?? error}.`);
  const { nonce, verifier } = pending;
  const given = await askTokens(issuer, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
  const claims = checkedClaims(given.id_token, issuer);
  if (claims.nonce !== nonce) throw refused('The ID token was not made for this sign-in.');
  storeKey(null);
  holdSession(openSession(issuer, given, claims.sub));
  try {
    await api.getUser();
  } catch (thrown) {
    holdSession(null);
    throw thrown;
  }
}

interface Given {
  readonly access_token: string;
  readonly id_token: unknown;
  readonly refresh_token: string | null;
  /** Null: not known. */
  readonly seconds: number | null;
}

const TIMEOUT_MS = 10_000;
/** Letters that a header can have. */
const SENDABLE = /^[!-~]+$/;

async function askTokens(
  { issuer, token_endpoint, client_id, resource }: Issuer,
  fields: Readonly<Record<string, string>>,
): Promise<Given> {
  const body = new URLSearchParams({ ...fields, client_id, ...(resource === null ? {} : { resource }) });
  let response: Response;
  let found: Readonly<Record<string, unknown>>;
  try {
    response = await fetch(token_endpoint, {
      method: 'POST',
      body,
      headers: { Accept: 'application/json' },
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    found = Object(await response.json());
  } catch {
    throw new Refusal(
      'AUTH_UNAVAILABLE',
      `The sign-in service ${issuer} gives this page no tokens.`,
      `Try again soon. If that does not help, let it allow the origin ${location.origin} (CORS) for this client.`,
    );
  }
  const { access_token, id_token, refresh_token, expires_in, error, error_description } = found;
  if (!response.ok) throw refused(`The sign-in service refused: ${error_description ?? error ?? response.status}.`);
  if (typeof access_token !== 'string' || !SENDABLE.test(access_token)) {
    throw refused('The sign-in service gave no access token.', 'Check its settings for this client.');
  }
  const seconds = Number(expires_in);
  return {
    access_token,
    id_token,
    refresh_token: typeof refresh_token === 'string' ? refresh_token : null,
    seconds: seconds > 0 ? seconds : null,
  };
}

/** How far the clock of this machine may be ahead, in seconds. */
const SKEW = 300;

/**
 * What an ID token says. It came from the issuer itself over https, so its signature need not be checked (OpenID Connect
 * Core, 3.1.3.7). The server checks that of each access token.
 */
function checkedClaims(token: unknown, { issuer, client_id }: Issuer): Readonly<Record<string, unknown>> {
  let claims: Readonly<Record<string, unknown>>;
  try {
    const [, payload] = (token as string).split('.');
    claims = Object(JSON.parse(atob(payload!.replaceAll('-', '+').replaceAll('_', '/'))));
  } catch {
    throw refused('The sign-in service gave no ID token.', 'The scopes of the page must have `openid`.');
  }
  const audiences = [claims.aud].flat();
  const isForUs = audiences.includes(client_id) && (claims.azp === undefined || claims.azp === client_id);
  if (claims.iss !== issuer || !isForUs) throw refused('The ID token is of another service or for another client.');
  if (!(Number(claims.exp) + SKEW > Date.now() / 1000)) {
    throw refused('The ID token has expired.', 'Check the clock of this machine, and sign in again.');
  }
  return claims;
}

/** A token with less time than this is replaced before it is sent, or with a quarter of its time if that is less. */
const MARGIN_MS = 30_000;

function openSession(issuer: Issuer, first: Given, sub: unknown): Session {
  let given = first;
  let idToken = first.id_token as string;
  let staleAt = 0;
  let renewing: Promise<boolean> | null = null;
  const take = (next: Given) => {
    given = { ...next, refresh_token: next.refresh_token ?? given.refresh_token };
    const ms = (next.seconds ?? Number.POSITIVE_INFINITY) * 1000;
    staleAt = Date.now() + ms - Math.min(MARGIN_MS, ms / 4);
  };
  take(first);
  const refresh = async (refresh_token: string) => {
    try {
      const next = await askTokens(issuer, { grant_type: 'refresh_token', refresh_token });
      if (next.id_token !== undefined) {
        if (checkedClaims(next.id_token, issuer).sub !== sub) return false;
        idToken = next.id_token as string;
      }
      take(next);
      return true;
    } catch {
      // The token is sent as it is: where it has expired, the server says so.
      return false;
    }
  };
  // An issuer may take a refresh token only once, so requests at the same time share one.
  const renew = () => {
    if (given.refresh_token === null) return Promise.resolve(false);
    renewing ??= refresh(given.refresh_token).finally(() => {
      renewing = null;
    });
    return renewing;
  };
  return {
    get idToken() {
      return idToken;
    },
    async token() {
      if (Date.now() >= staleAt) await renew();
      return given.access_token;
    },
    renew,
  };
}

/** Signs out at the issuer too, if it can be reached and offers it. The page has forgotten the tokens before. */
export async function signOutAtIssuer({ idToken }: Session): Promise<void> {
  const { end_session_endpoint, client_id } = await readIssuer();
  if (end_session_endpoint === null) return;
  const url = new URL(end_session_endpoint);
  url.searchParams.set('id_token_hint', idToken);
  url.searchParams.set('client_id', client_id);
  url.searchParams.set('post_logout_redirect_uri', `${location.origin}/`);
  location.assign(url);
}
