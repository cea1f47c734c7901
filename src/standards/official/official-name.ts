import { MAX_OFFICIAL_NAME, OFFICIAL_NAME } from '../../model/entity-types/fields.ts';
import { isPlain, stableSlug } from '../text/stable-slug.ts';

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
    rest.length <= MAX_OFFICIAL_NAME &&
    OFFICIAL_NAME.test(rest) &&
    domain.includes('.') &&
    domain !== namespace &&
    isPlain(name, MAX_OFFICIAL_NAME);
  return isOfficial ? rest : `${namespace}/${stableSlug(path, MAX_OWN_CHARS)}`;
}

interface Named {
  readonly path: string;
  readonly official_name?: string | undefined;
}

/** The name that the owner has set, or the one of the path. */
export function officialNameOf({ path, official_name }: Named, namespace: string): string {
  return official_name ?? officialName(path, namespace);
}

/**
 * The name of each server, by path: every name belongs to one server. Names that owners have set come first, then those of
 * paths. A server whose name is taken gets another one in the namespace.
 */
export function officialNames(
  servers: readonly Named[],
  namespace: string,
  nameOf = (path: string) => officialName(path, namespace),
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  // The names of paths are unique among themselves.
  if (servers.every(({ official_name }) => official_name === undefined)) {
    for (const { path } of servers) names.set(path, nameOf(path));
    return names;
  }
  const inOrder = [...servers].sort((a, b) => (a.path < b.path ? -1 : 1));
  const taken = new Set<string>();
  const give = (path: string, name: string) => {
    if (taken.has(name)) return;
    taken.add(name);
    names.set(path, name);
  };
  for (const { path, official_name } of inOrder) if (official_name !== undefined) give(path, official_name);
  for (const { path } of inOrder) if (!names.has(path)) give(path, nameOf(path));
  for (const { path } of inOrder) {
    for (let from = path; !names.has(path); from = ` ${from}`) {
      give(path, `${namespace}/${stableSlug(from, MAX_OWN_CHARS)}`);
    }
  }
  return names;
}
