import { stableSlug } from '../text/stable-slug.ts';
import { ARD_TYPES, type DiscoverableType } from './ard-types.ts';

const MAX_SLUG_CHARS = 120;

/** ARD appendix C: a domain, then segments of letters, digits and `._-`. */
const IDENTIFIER = /^urn:air:([a-zA-Z0-9.-]+)((?::[a-zA-Z0-9._-]+)+)$/;

/** The part after the domain: `server:context7`. The same at every address of this registry. */
export function airKey(type: DiscoverableType, path: string): string {
  return `${ARD_TYPES[type].namespace}:${stableSlug(path, MAX_SLUG_CHARS)}`;
}

export function airIdentifier(domain: string, key: string): string {
  return `urn:air:${domain}:${key}`;
}

/** The domain and the key of an identifier. Undefined if invalid. */
export function splitAirIdentifier(identifier: string): { readonly domain: string; readonly key: string } | undefined {
  const [, domain, key] = IDENTIFIER.exec(identifier) ?? [];
  return domain === undefined || key === undefined ? undefined : { domain, key: key.slice(1) };
}

/** The domain of this registry's identifiers. Replaces the characters of an IPv6 address, which are not allowed. */
export function airDomain(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  return /^[a-zA-Z0-9.-]+$/.test(hostname) ? hostname : 'localhost';
}
