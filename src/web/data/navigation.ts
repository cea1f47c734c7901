import { useEffect, useState } from 'preact/hooks';

/** The address is the state of the page: a link can be shared, and Back works. */
export interface Address {
  readonly path: string;
  readonly query: URLSearchParams;
}

export interface PageProps {
  readonly address: Address;
}

const CHANGED = 'dowser:address';

const here = (): Address => ({ path: location.pathname, query: new URLSearchParams(location.search) });

export function useAddress(): Address {
  const [address, setAddress] = useState(here);
  useEffect(() => {
    const read = () => setAddress(here());
    addEventListener('popstate', read);
    addEventListener(CHANGED, read);
    return () => {
      removeEventListener('popstate', read);
      removeEventListener(CHANGED, read);
    };
  }, []);
  return address;
}

/** `replace` keeps the history short while somebody types. */
export function navigate(href: string, how: 'push' | 'replace' = 'push'): void {
  if (href === location.pathname + location.search) return;
  if (how === 'push') history.pushState(null, '', href);
  else history.replaceState(null, '', href);
  dispatchEvent(new Event(CHANGED));
  if (how === 'push') scrollTo(0, 0);
}

const readable = (text: string): string =>
  encodeURIComponent(text).replaceAll('%2F', '/').replaceAll('%3A', ':').replaceAll('%40', '@').replaceAll('%20', '+');

/** Empty values are left out. */
export function hrefOf(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = pairs.map(([name, value]) => `${name}=${readable(value as string)}`).join('&');
  return text === '' ? path : `${path}?${text}`;
}

export const entityHref = (id: string): string => hrefOf('/ui/entity', { id });
