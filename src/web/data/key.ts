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

/** The server did not accept the key, or asked for one. */
export const REFUSED = 'dowser:refused';
const UNAUTHENTICATED = 401;

/** `fetch` with the key, if there is one. */
export const signedFetch: typeof fetch = async (input, init) => {
  const key = storedKey();
  const signed = key === null ? init : { ...init, headers: { ...init?.headers, Authorization: `Bearer ${key}` } };
  const response = await fetch(input, signed);
  if (response.status === UNAUTHENTICATED) dispatchEvent(new Event(REFUSED));
  return response;
};
