import type { OAuthClientProvider } from '@modelcontextprotocol/client';

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
    const cookies = new Map<string, string>();
    let url = this.#asked!;
    for (let page = 0; page < 10; page++) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const set of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        if (value === '') cookies.delete(name!);
        else cookies.set(name!, value!);
      }
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${response.status} ${await response.text()}`);
      url = new URL(location, url);
      if (url.href.startsWith(CALLBACK)) return url.searchParams;
    }
    throw new Error('The issuer sent the browser in a circle.');
  }
}
