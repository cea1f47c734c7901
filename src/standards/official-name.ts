import { isPlain, stableSlug } from './stable-slug.ts';

/** From the official registry's schema of `server.json` (2025-12-11). */
export const OFFICIAL_NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;
const MAX_NAME_CHARS = 200;
const MAX_OWN_CHARS = 120;

/** The namespace of a registry without a public address. */
export const LOCAL_NAMESPACE = 'local.dowser';

/** `https://registry.example.com` -> `com.example.registry`: the namespace of names from this registry. */
export function namespaceOf(publicUrl: string | undefined): string {
  if (publicUrl === undefined) return LOCAL_NAMESPACE;
  const { hostname } = new URL(publicUrl);
  // An IP address is not a domain. Reversed, it would be the address of another machine.
  if (!/[a-z]/i.test(hostname) || hostname.includes(':')) return LOCAL_NAMESPACE;
  return hostname.split('.').reverse().join('.');
}

/**
 * The name of a server in the official registry's format. A path that is such a name keeps it (`/io.github.acme/weather`);
 * any other gets a name in the namespace. Each path has its own name.
 */
export function officialName(path: string, namespace: string): string {
  const rest = path.slice(1);
  const [domain = '', name = ''] = rest.split('/');
  const isOfficial =
    path.startsWith('/') &&
    rest.length <= MAX_NAME_CHARS &&
    OFFICIAL_NAME.test(rest) &&
    domain.includes('.') &&
    domain !== namespace &&
    isPlain(name, MAX_NAME_CHARS);
  return isOfficial ? rest : `${namespace}/${stableSlug(path, MAX_OWN_CHARS)}`;
}
