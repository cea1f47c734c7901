import type {
  AuthProvider,
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { stated } from '../../../model/json/json-object.ts';
import type { SignIn, SignInFile } from './sign-in-file.ts';

type UnauthorizedContext = Parameters<NonNullable<AuthProvider['onUnauthorized']>>[0];

/** Nothing listens there: a reading never asks a person. */
const UNUSED_CALLBACK = 'http://127.0.0.1/callback';

export function clientMetadataFor(redirectUrl: string): OAuthClientMetadata {
  return {
    client_name: 'Dowser',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  };
}

export function toSignIn(client: StoredOAuthClientInformation, tokens: StoredOAuthTokens): SignIn {
  const { expires_in } = tokens;
  const expires =
    expires_in === undefined ? {} : { expires_at: new Date(Date.now() + expires_in * 1000).toISOString() };
  return { client, tokens, ...expires };
}

/** The token of a request has expired, and its issuer did not answer. The server has refused the request. */
export class NotRefreshed extends Error {
  constructor(options?: ErrorOptions) {
    super('requires a new token, and its issuer did not give one', options);
  }
}

/** Refreshes under way in this process, by the file and the server. */
const refreshes = new Map<string, Promise<void>>();

/**
 * The sign-in of a server for its readings and calls. It sends the token and refreshes it. If that fails, the request fails: only
 * `dowser login` asks a person, and only that registers a client.
 */
export class StoredSignIn implements OAuthClientProvider {
  readonly redirectUrl = UNUSED_CALLBACK;
  readonly clientMetadata = clientMetadataFor(UNUSED_CALLBACK);
  readonly #file: SignInFile;
  readonly #address: string;
  readonly #secrets = new Set<string>();
  /** The token of each request that was refused. */
  readonly #refused = new WeakMap<Response, string>();
  /** The last refresh token that was given to the library, to be used. */
  #used: string | undefined;

  constructor(file: SignInFile, address: string) {
    this.#file = file;
    this.#address = address;
    this.tokens();
  }

  /** Every token that was used so far, to be taken out of what the server says. */
  get secrets(): readonly string[] {
    return [...this.#secrets];
  }

  /** A new sign-in at the same server usually has a new one. */
  get clientId(): string | undefined {
    return this.clientInformation()?.client_id;
  }

  /**
   * For a transport of the library, which would refresh once for each refused request. Many at once would lose the sign-in: an
   * issuer may take a refresh token only once. Here all of them wait for one refresh, at most `limitMs`.
   */
  transportAuth(limitMs: number): AuthProvider {
    return {
      token: async () => this.tokens()?.access_token,
      onUnauthorized: async (context) => {
        const sent = this.#refused.get(context.response);
        const current = this.tokens()?.access_token;
        // Somebody has refreshed it since the request was sent.
        if (sent !== undefined && current !== undefined && sent !== current) return;
        const key = this.#file.keyOf(this.#address);
        const refresh = refreshes.get(key) ?? this.#refresh(context, limitMs).finally(() => refreshes.delete(key));
        refreshes.set(key, refresh);
        await refresh;
      },
    };
  }

  /** Notes which token was refused with this answer. */
  noteRefused(answer: Response, authorization: string | null): void {
    if (authorization !== null) this.#refused.set(answer, authorization.replace(/^Bearer /, ''));
  }

  async #refresh({ response, serverUrl, fetchFn }: UnauthorizedContext, limitMs: number): Promise<void> {
    const { auth, extractWWWAuthenticateParams, OAuthError, UnauthorizedError } = await import(
      '@modelcontextprotocol/client'
    );
    const limit = AbortSignal.timeout(limitMs);
    const found = await auth(this, {
      serverUrl,
      ...stated(extractWWWAuthenticateParams(response)),
      fetchFn: (input, init) => fetchFn(input, { ...init, signal: limit }),
    }).catch((cause: unknown) => {
      throw cause instanceof OAuthError ? new UnauthorizedError(cause.message) : new NotRefreshed({ cause });
    });
    if (found === 'AUTHORIZED') return;
    // A refresh token that was refused has been forgotten by now.
    throw this.tokens()?.refresh_token === undefined ? new UnauthorizedError() : new NotRefreshed();
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#file.get(this.#address)?.client;
  }

  /** With a context, they are about to be refreshed at its issuer. */
  tokens(context?: OAuthClientInformationContext): StoredOAuthTokens | undefined {
    const tokens = this.#file.get(this.#address)?.tokens;
    this.#remember(tokens);
    if (context !== undefined) this.#used = tokens?.refresh_token;
    return tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    const client = this.clientInformation();
    if (client === undefined) return;
    this.#remember(tokens);
    this.#file.put(this.#address, toSignIn(client, tokens));
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope !== 'tokens' && scope !== 'all') return;
    const stored = this.#file.get(this.#address);
    // Another process has refreshed them meanwhile, or somebody has signed in again.
    if (stored?.tokens?.refresh_token !== this.#used) return;
    if (stored !== undefined) this.#file.put(this.#address, { client: stored.client });
  }

  redirectToAuthorization(): void {}
  saveCodeVerifier(): void {}
  codeVerifier(): string {
    return '';
  }

  #remember(tokens: StoredOAuthTokens | undefined): void {
    for (const token of [tokens?.access_token, tokens?.refresh_token, tokens?.id_token]) {
      if (token !== undefined) this.#secrets.add(token);
    }
  }
}
