import { includedScopes, type Scope } from '../model/caller/caller.ts';

/** The scopes of each group. */
export type GroupScopes = Readonly<Record<string, readonly Scope[]>>;

/**
 * The scopes of a user: those of the groups. Where the token names scopes too, only what both allow: a user may hand a
 * program less than he has, never more. Without a map, those of the token.
 */
export function scopesOf(
  map: GroupScopes | null,
  groups: readonly string[],
  ofToken: readonly Scope[],
): readonly Scope[] {
  if (map === null) return ofToken;
  // A group may have the name of something that objects inherit, such as `constructor`. That is no scope, and counts for nothing.
  const granted = includedScopes(groups.flatMap((group) => map[group] ?? []));
  if (ofToken.length === 0) return granted;
  const limit = includedScopes(ofToken);
  return granted.filter((scope) => limit.includes(scope));
}
