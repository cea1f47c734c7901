import { unauthenticated } from '../model/caller/access-errors.ts';
import { type Identity, SCOPES, type Scope } from '../model/caller/caller.ts';
import { DowserError } from '../model/errors/errors.ts';
import { isJsonObject } from '../model/json/json-object.ts';
import { RESERVED_NAMES } from './audit-trail.ts';
import { type GroupScopes, scopesOf } from './group-scopes.ts';
import { KEY_NAME_PREFIX } from './identify.ts';

export type Claims = Readonly<Record<string, unknown>>;

export interface ClaimSettings {
  /** The claim that names the user. It must not change and not be given to another user. */
  readonly userClaim: string;
  /** A claim, or a path of claims with dots. */
  readonly groupsClaim: string;
  readonly groupScopes: GroupScopes | null;
}

/** Who a checked token speaks for. Throws UNAUTHENTICATED, and FORBIDDEN if the token does not have its groups. */
export function identityOf(claims: Claims, settings: ClaimSettings): Identity {
  const name = claims[settings.userClaim];
  if (typeof name !== 'string' || name === '') {
    throw unauthenticated(`The token has no claim '${settings.userClaim}', which names the user.`);
  }
  // Such a user would own what an API key of that name has registered.
  if (name.startsWith(KEY_NAME_PREFIX)) throw unauthenticated(`The name of a user must not begin with 'key:'.`);
  // The audit log would take such a user for somebody else.
  if (RESERVED_NAMES.includes(name)) throw unauthenticated(`The name of a user must not be '${name}'.`);
  const groups = groupsOf(claims, settings.groupsClaim);
  return { name, groups, scopes: scopesOf(settings.groupScopes, groups, tokenScopes(claims)) };
}

function groupsOf(claims: Claims, claim: string): readonly string[] {
  const found = own(claims, claim) ?? atPath(claims, claim.split('.'));
  if (found === undefined) {
    if (hasOverage(claims, claim)) throw overage(claim);
    return [];
  }
  const groups = typeof found === 'string' ? [found] : found;
  if (Array.isArray(groups) && groups.every((group) => typeof group === 'string')) return groups;
  throw unauthenticated(`The claim '${claim}' of the token is no list of groups.`);
}

function atPath(claims: Claims, [first, ...rest]: readonly string[]): unknown {
  const value = own(claims, first!);
  if (rest.length === 0) return value;
  return isJsonObject(value) ? atPath(value, rest) : undefined;
}

/** Not what every object inherits, such as `constructor`. */
const own = (claims: Claims, name: string): unknown => (Object.hasOwn(claims, name) ? claims[name] : undefined);

/** A user with many groups gets a token that has none of them, and says where to ask for them. */
function hasOverage(claims: Claims, claim: string): boolean {
  const named = claims._claim_names;
  return (
    claims.hasgroups === true || claims.hasgroups === 'true' || (isJsonObject(named) && Object.hasOwn(named, claim))
  );
}

function overage(claim: string): DowserError {
  return new DowserError('FORBIDDEN', `The token does not have the groups of the user: there are too many for it.`, {
    field: claim,
    hint: 'Let the sign-in service send only the groups that are assigned to this application, or app roles, and set `oidc_groups_claim`.',
  });
}

/** `scope` is one text, `scp` a text or a list. Unknown scopes are ignored. */
function tokenScopes({ scope, scp }: Claims): readonly Scope[] {
  const words = [scope, scp].flat().flatMap((value) => (typeof value === 'string' ? value.split(' ') : []));
  return SCOPES.filter((known) => words.includes(known));
}
