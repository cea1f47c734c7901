import { isPlain, stableSlug } from './stable-slug.ts';

/** As the official registry's schema of `server.json` (2025-12-11) has it. */
export const OFFICIAL_NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;
const MAX_NAME_CHARS = 200;
const MAX_OWN_CHARS = 120;

/** The namespace of names that have none of their own, for a registry without a public address. */
export const LOCAL_NAMESPACE = 'local.dowser';

/** `https://registry.example.com` -> `com.example.registry`: names that this registry gives are under its own domain. */
export function namespaceOf(publicUrl: string | undefined): string {
  if (publicUrl === undefined) return LOCAL_NAMESPACE;
  const { hostname } = new URL(publicUrl);
  // The numbers of an address are no domain, and turned round they are another machine's.
  if (!/[a-z]/i.test(hostname) || hostname.includes(':')) return LOCAL_NAMESPACE;
  return hostname.split('.').reverse().join('.');
}

/**
 * The name of a server in the official registry's form. A path that is such a name after its slash keeps it
 * (`/io.github.acme/weather`); any other gets one in the namespace. No two paths share a name.
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
