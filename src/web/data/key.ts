const NAME = 'dowser-key';

/** Kept until the tab is closed, and never longer: other tabs and later visitors do not get it. */
export function storedKey(): string | null {
  try {
    return sessionStorage.getItem(NAME);
  } catch {
    return inMemory;
  }
}

/** Null forgets it. */
export function storeKey(key: string | null): void {
  inMemory = key;
  try {
    if (key === null) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, key);
  } catch {
    // A browser may refuse to store anything: the key then lasts until the page is left.
  }
}

let inMemory: string | null = null;

/** The tokens of somebody who signed in with an account. Nothing stores them: they last until the page is left. */
export interface Session {
  /** Tells the issuer who signs out. */
  readonly idToken: string;
  /** A token for the next request. One that is about to expire is replaced first. */
  token(): Promise<string>;
  /** After a refusal: whether there is another token now. */
  renew(): Promise<boolean>;
}

let session: Session | null = null;
export const heldSession = (): Session | null => session;
export const holdSession = (next: Session | null): void => {
  session = next;
};

/** The server did not accept the key, or asked for one. */
export const REFUSED = 'dowser:refused';
const UNAUTHENTICATED = 401;

/** `fetch` with the key or the token, if there is one. */
export const signedFetch: typeof fetch = async (input, init) => {
  const send = async () => {
    const key = session === null ? storedKey() : await session.token();
    return fetch(
      input,
      key === null ? init : { ...init, headers: { ...init?.headers, Authorization: `Bearer ${key}` } },
    );
  };
  let response = await send();
  // A stream can be sent only once.
  const isOnce = init?.body instanceof ReadableStream;
  if (response.status === UNAUTHENTICATED && !isOnce && (await session?.renew()) === true) response = await send();
  if (response.status === UNAUTHENTICATED) dispatchEvent(new Event(REFUSED));
  return response;
};
