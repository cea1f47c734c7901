import { hasCredentialsIn } from '../../access/api-key.ts';
import type { Access } from '../../access/open-access.ts';
import type { Reach } from '../../access/reach.ts';
import { isSameText, KEY_HEADER, keyOf } from '../../api/wire/local-proof.ts';
import { insufficientScope, unauthenticated } from '../../model/caller/access-errors.ts';
import { type Caller, hasSameRights, type Right, UNRESTRICTED } from '../../model/caller/caller.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { mayWrite, refuseWrite } from './loopback-guard.ts';

/** Without credentials, requests over the network read everything. */
const NETWORK_READER: Caller = { readers: null, scopes: ['read', 'metrics'] };
/** A caller without credentials, if `anonymous_read` is on. */
const PUBLIC_READER: Caller = { readers: ['public'], scopes: ['read'] };
/** A caller without credentials, if it is off. */
const NOBODY: Caller = { readers: ['public'], scopes: [] };

export interface CallerOptions extends Reach {
  /** Absent: no credentials are needed. */
  readonly access?: Access | undefined;
  /** The secret of `server.json`: see `local-proof.ts`. */
  readonly secret?: string | undefined;
}

/** Parameters that carry a token elsewhere. Logs and histories keep URLs. */
const TOKEN_PARAMETERS = ['access_token', 'api_key', 'apikey', 'authorization', 'id_token', 'token', 'x-api-key'];

/** The caller of a request to something that needs a right. Whether it has the right is not checked. Throws UNAUTHENTICATED. */
export type CallerOf = (request: Request, right: Right) => Promise<Caller>;

/** Whether the credentials of a request still make the same caller, with the same rights. */
export function isStill(caller: Caller, identify: () => Promise<Caller>): Promise<boolean> {
  return identify().then(
    (now) => hasSameRights(now, caller),
    () => false,
  );
}

/** The one place where a request becomes a caller. */
export function requestCallers({ access, secret, ...reach }: CallerOptions): CallerOf {
  const localKey = secret === undefined ? null : keyOf(secret);
  const isLocal = ({ headers }: Request) => {
    const sent = localKey === null ? null : headers.get(KEY_HEADER);
    return sent !== null && isSameText(sent, localKey!);
  };
  if (access?.required !== true) {
    return async (request) => (isLocal(request) || mayWrite(request.headers, reach) ? UNRESTRICTED : NETWORK_READER);
  }
  return async (request, right) => {
    refuseTokenInUrl(request.url);
    if (isLocal(request)) return UNRESTRICTED;
    if (right === 'none') return NOBODY;
    const credentials = credentialsOf(request.headers);
    if (credentials !== undefined) return access.identify(credentials);
    if (access.anonymousRead && right === 'read') return PUBLIC_READER;
    throw unauthenticated('This needs credentials.');
  };
}

/** Throws what a caller gets who lacks a right. */
export function refuseRight(caller: Caller, right: Right): never {
  if (caller === NETWORK_READER) refuseWrite();
  throw insufficientScope(right);
}

/** Undefined: there are none. */
export function credentialsOf(headers: Headers): string | undefined {
  const [, token] = /^bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '') ?? [];
  if (token !== undefined) return token;
  if (headers.has('authorization')) throw unauthenticated('The Authorization header is not `Bearer` and a token.');
  // For clients of the memory service.
  return headers.get('x-api-key')?.trim() || undefined;
}

/** The path of a request, for a log. */
export const loggedPath = (path: string): string => (hasCredentialsIn(path) ? '(a path with credentials)' : path);

function refuseTokenInUrl(url: string): void {
  const { searchParams } = new URL(url);
  const names = [...searchParams.keys()].map((name) => name.toLowerCase());
  const named = TOKEN_PARAMETERS.find((name) => names.includes(name));
  if (named === undefined && !hasCredentialsIn(url)) return;
  throw new DowserError('INVALID_REQUEST', 'The URL has credentials. Logs keep URLs, so they are not accepted there.', {
    field: named ?? 'url',
    hint: 'Send them in the Authorization header. Revoke a key that was sent in a URL.',
  });
}
