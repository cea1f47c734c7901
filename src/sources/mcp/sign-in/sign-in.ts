import { randomUUID } from 'node:crypto';
import {
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientInformationContext,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { DowserError } from '../../../model/errors/errors.ts';
import { networkReason, parseAddress } from '../../fetch/bounded-fetch.ts';
import { publicUrl } from '../../secrets/secret-references.ts';
import type { SourceLimits } from '../../source.ts';
import { type CallbackServer, openCallbackServer } from './callback-server.ts';
import { signInFetch } from './sign-in-fetch.ts';
import { type SignIn, SignInFile } from './sign-in-file.ts';
import { clientMetadataFor, toSignIn } from './stored-sign-in.ts';

export interface SignInOptions {
  /** Where the tokens are kept. */
  readonly folder: string;
  readonly limits: SourceLimits;
  readonly version: string;
  readonly signal: AbortSignal;
  /** How long to wait for the person. */
  readonly waitMs: number;
  /** A client that is registered at the issuer. Default: Dowser registers itself. */
  readonly client?: { readonly id: string; readonly secret?: string };
  /** The port of the redirect, for a client that was registered with one. Default: any free port. */
  readonly callbackPort?: number;
  /** Called with the address to open in a browser. */
  readonly onAddress: (address: URL) => void;
}

/** Signs in at a remote MCP server by its issuer, in a browser of this machine. Undefined if the server needs no sign-in. */
export async function signIn(address: string, options: SignInOptions): Promise<SignIn | undefined> {
  const { url } = parseAddress(address);
  const { folder, limits, version, signal } = options;
  const fetchFn = signInFetch(url, limits, version, signal);
  try {
    const challenge = await challengeOf(url, fetchFn);
    if (challenge === undefined) return undefined;
    const callback = await openCallbackServer(options.callbackPort ?? 0);
    try {
      const found = await authorize(url, { ...challenge, fetchFn }, callback, options);
      new SignInFile(folder).put(url.href, found);
      return found;
    } finally {
      await callback.close();
    }
  } catch (thrown) {
    signal.throwIfAborted();
    throw thrown instanceof DowserError ? thrown : cannotSignIn(address, thrown);
  }
}

type Challenge = Pick<ReturnType<typeof extractWWWAuthenticateParams>, 'resourceMetadataUrl' | 'scope'>;
type FetchFn = ReturnType<typeof signInFetch>;

/** How the server asks for a sign-in. Undefined if it does not. */
async function challengeOf(url: URL, fetchFn: FetchFn): Promise<Challenge | undefined> {
  const answer = await fetchFn(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
  await answer.body?.cancel();
  if (answer.status !== 401) return undefined;
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(answer);
  return {
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(scope === undefined ? {} : { scope }),
  };
}

async function authorize(
  serverUrl: URL,
  asked: Challenge & { readonly fetchFn: FetchFn },
  callback: CallbackServer,
  { client, waitMs, signal, onAddress }: SignInOptions,
): Promise<SignIn> {
  const provider = new BrowserSignIn(callback.url, client);
  const first = await auth(provider, { serverUrl, ...asked });
  const { address } = provider;
  if (first !== 'REDIRECT' || address === undefined) {
    throw new DowserError('FORBIDDEN', 'The issuer named no page to sign in at.');
  }
  if (!/^https?:$/.test(address.protocol)) {
    throw new DowserError(
      'FORBIDDEN',
      `The issuer's sign-in page must be an http or https address, not ${address.protocol}`,
    );
  }
  const until = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  const redirected = callback.parameters(provider.stateValue, until);
  onAddress(address);
  const parameters = await redirected.catch((reason: unknown) => {
    signal.throwIfAborted();
    throw new DowserError('FORBIDDEN', `The sign-in was not completed within ${waitMs / 1000} s.`, {
      hint: 'Run the command again and sign in at the address that it shows.',
      cause: reason,
    });
  });
  const code = parameters.get('code');
  const iss = parameters.get('iss');
  if (code === null) {
    const why = parameters.get('error_description') ?? parameters.get('error') ?? 'no code';
    throw new DowserError('FORBIDDEN', `The issuer refused the sign-in: ${why.slice(0, 300)}.`);
  }
  await auth(provider, { serverUrl, ...asked, authorizationCode: code, ...(iss === null ? {} : { iss }) });
  return provider.result();
}

/** What the library needs to send a person to the issuer, once. */
class BrowserSignIn implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly stateValue = randomUUID();
  address: URL | undefined;
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = '';

  constructor(redirectUrl: string, client: SignInOptions['client']) {
    this.redirectUrl = redirectUrl;
    if (client === undefined) return;
    this.#client = { client_id: client.id, ...(client.secret === undefined ? {} : { client_secret: client.secret }) };
  }

  get clientMetadata() {
    return clientMetadataFor(this.redirectUrl);
  }

  state = () => this.stateValue;
  /** A client that was given belongs to this issuer and to no other. */
  clientInformation = (context?: OAuthClientInformationContext) => {
    if (this.#client === undefined || context === undefined) return this.#client;
    this.#client = { issuer: context.issuer, ...this.#client };
    return this.#client;
  };
  saveClientInformation = (client: StoredOAuthClientInformation) => {
    this.#client = client;
  };
  tokens = () => this.#tokens;
  saveTokens = (tokens: StoredOAuthTokens) => {
    this.#tokens = tokens;
  };
  codeVerifier = () => this.#verifier;
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  redirectToAuthorization = (address: URL) => {
    this.address = address;
  };

  result(): SignIn {
    if (this.#client !== undefined && this.#tokens !== undefined) return toSignIn(this.#client, this.#tokens);
    throw new DowserError('FORBIDDEN', 'The issuer gave no token after the sign-in.');
  }
}

function cannotSignIn(address: string, thrown: unknown): DowserError {
  const why = networkReason(thrown).replace(/\.$/, '').slice(0, 300);
  return new DowserError('FORBIDDEN', `Cannot sign in at ${publicUrl(address).text}: ${why}.`, {
    hint: 'If its issuer does not let clients register themselves, register one there and use --client-id. Or send a key with --header.',
    cause: thrown,
  });
}
