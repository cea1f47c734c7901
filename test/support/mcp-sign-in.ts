import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { browse } from './browse.ts';

type Tokens = Awaited<ReturnType<OAuthClientProvider['tokens']>>;
type Information = Awaited<ReturnType<OAuthClientProvider['clientInformation']>>;

const CALLBACK = 'http://127.0.0.1:1/callback';

/** What an MCP client needs to sign in, with a browser that consents to everything. Nothing listens at the callback. */
export class McpSignIn implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = {
    client_name: 'tests',
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  };
  #information: Information;
  #tokens: Tokens;
  #verifier = '';
  #asked: URL | undefined;

  clientInformation = () => this.#information;
  saveClientInformation = (information: Information) => {
    this.#information = information;
  };
  tokens = () => this.#tokens;
  saveTokens = (tokens: Tokens) => {
    this.#tokens = tokens;
  };
  codeVerifier = () => this.#verifier;
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  redirectToAuthorization = (url: URL) => {
    this.#asked = url;
  };

  /** Follows the pages of the issuer as a browser would. Returns what the callback gets. */
  async consent(): Promise<URLSearchParams> {
    return (await browse(this.#asked!, CALLBACK)).searchParams;
  }
}
