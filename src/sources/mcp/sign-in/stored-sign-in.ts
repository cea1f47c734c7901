import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { SignIn, SignInFile } from './sign-in-file.ts';

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

/**
 * The sign-in of a server for its readings. It sends the token and refreshes it. If that fails, the reading fails: only
 * `dowser login` asks a person, and only that registers a client.
 */
export class StoredSignIn implements OAuthClientProvider {
  readonly redirectUrl = UNUSED_CALLBACK;
  readonly clientMetadata = clientMetadataFor(UNUSED_CALLBACK);
  readonly #file: SignInFile;
  readonly #address: string;
  readonly #secrets: string[] = [];

  constructor(file: SignInFile, address: string) {
    this.#file = file;
    this.#address = address;
    this.#remember(file.get(address)?.tokens);
  }

  /** Every token of this reading, to be taken out of what the server says. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#file.get(this.#address)?.client;
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#file.get(this.#address)?.tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    const client = this.clientInformation();
    if (client === undefined) return;
    this.#remember(tokens);
    this.#file.put(this.#address, toSignIn(client, tokens));
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    const client = this.clientInformation();
    if (client !== undefined && (scope === 'tokens' || scope === 'all')) this.#file.put(this.#address, { client });
  }

  redirectToAuthorization(): void {}
  saveCodeVerifier(): void {}
  codeVerifier(): string {
    return '';
  }

  #remember(tokens: StoredOAuthTokens | undefined): void {
    for (const token of [tokens?.access_token, tokens?.refresh_token, tokens?.id_token]) {
      if (token !== undefined) this.#secrets.push(token);
    }
  }
}
