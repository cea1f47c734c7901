/** Without the brackets of an IPv6 address. */
export const withoutBrackets = (name: string): string => name.toLowerCase().replace(/^\[(.*)\]$/, '$1');

/** Whether a host name always means this machine. Accepts `[::1]` with and without brackets. */
export function isLoopbackName(name: string): boolean {
  const host = withoutBrackets(name);
  if (host === 'localhost' || host.endsWith('.localhost') || host === '::1') return true;
  return /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(host);
}

/** How the server can be reached, which decides who may send requests. */
export interface Reach {
  /** Listens on loopback, where any program of the machine may write. */
  readonly loopbackOnly: boolean;
  readonly publicUrl?: string | undefined;
  /** Host names of this server, besides that of `publicUrl`. */
  readonly allowedHosts?: readonly string[];
  /** Origins of other sites whose pages may send requests. Default none. */
  readonly allowedOrigins?: readonly string[];
  /** Other machines may write. Default false. */
  readonly remoteWrites?: boolean;
}

export const publicUrlOf = ({ publicUrl }: Reach): URL | null =>
  publicUrl !== undefined && URL.canParse(publicUrl) ? new URL(publicUrl) : null;

/**
 * Whether the server is public, so that pages of any origin may read the standard routes. A server on loopback is public
 * only with a `publicUrl`, behind a proxy.
 */
export function isPublic(reach: Reach): boolean {
  if (!reach.loopbackOnly) return true;
  const url = publicUrlOf(reach);
  return url !== null && !isLoopbackName(url.hostname);
}

/** Whether requests may come from more than the owner of this machine. */
export const isShared = (reach: Reach): boolean => isPublic(reach) || reach.remoteWrites === true;

/** Whether other machines can reach the server and may only read. */
export const isReadOnlyForOthers = (reach: Reach): boolean => isPublic(reach) && reach.remoteWrites !== true;
