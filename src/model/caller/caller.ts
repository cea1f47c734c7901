import { z } from 'zod';
import type { Entity } from '../entity.ts';
import { parseWith } from '../parse/parse.ts';
import { readerKeys } from '../query/filter.ts';

/** What a user may do with entities. Each includes those before it. */
export const LEVELS = ['read', 'write', 'admin'] as const;
/** Which tools of registered servers a caller may call, by what they do. Each includes those before it, and none includes `read`. */
export const CALL_SCOPES = ['call:read', 'call:write', 'call:destructive'] as const;
export type CallScope = (typeof CALL_SCOPES)[number];
/** What a caller may do. `metrics` stands apart: a program that collects metrics need not read entities. */
export const SCOPES = [...LEVELS, 'metrics', ...CALL_SCOPES] as const;
export type Scope = (typeof SCOPES)[number];

/** What an operation needs of its caller. `none`: not even credentials. */
export type Right = Scope | 'none';

/** The caller of a registry. */
export interface Caller {
  /** Reader keys (see `readerKeys`): the caller sees only entities that one of them may read. Null: no restriction. */
  readonly readers: readonly string[] | null;
  /** The user, or `key:NAME` for an API key. New entities get it as their owner. Absent: a caller without an identity. */
  readonly name?: string | undefined;
  /** With those that they include. Absent: everything is allowed. */
  readonly scopes?: readonly Scope[] | undefined;
  /** The paths of the only servers whose tools it may call. Absent: of every server that it may read. */
  readonly servers?: readonly string[] | undefined;
}

/** Sees everything, and may do everything. */
export const UNRESTRICTED: Caller = { readers: null };

/** An unknown caller: sees public entities only. */
export const STRANGER: Caller = { readers: ['public'] };

export interface Identity {
  readonly name: string;
  readonly groups: readonly string[];
  readonly scopes: readonly Scope[];
  readonly servers?: readonly string[] | undefined;
}

/** A caller who is known. An admin sees everything. */
export function callerOf({ name, groups, scopes: given, servers }: Identity): Caller {
  const scopes = includedScopes(given);
  const keys = ['public', `user:${name}`, ...new Set(groups.map((group) => `group:${group}`))];
  const readers = scopes.includes('admin') ? null : keys;
  return { readers, name, scopes, ...(servers === undefined ? {} : { servers }) };
}

/** The scopes, and those that they include: `write` -> `read`, `write`. `admin` includes all. */
export function includedScopes(scopes: readonly Scope[]): readonly Scope[] {
  const upTo = (steps: readonly Scope[]) =>
    steps.slice(0, Math.max(-1, ...scopes.map((scope) => steps.indexOf(scope))) + 1);
  const levels = upTo(LEVELS);
  if (levels.includes('admin')) return SCOPES;
  return [...levels, ...(scopes.includes('metrics') ? (['metrics'] as const) : []), ...upTo(CALL_SCOPES)];
}

export function hasRight({ scopes }: Caller, right: Right): boolean {
  return right === 'none' || scopes === undefined || scopes.includes(right);
}

/** Who it is, for sessions and reports: the user, or the reader keys of a caller without a name. */
export function callerKey({ readers, name }: Caller): string {
  if (name !== undefined) return `user:${name}`;
  if (readers === null) return 'owner';
  return readers.find((key) => key.startsWith('user:')) ?? [...readers].sort().join(' ');
}

/** The same for all callers with the same name and rights, and for no others. */
export const rightsKey = ({ name, scopes, readers, servers }: Caller): string =>
  JSON.stringify([name, scopes, readers, servers]);

export const hasSameRights = (a: Caller, b: Caller): boolean => rightsKey(a) === rightsKey(b);

const callerSchema = z.strictObject({
  readers: z.array(z.string()).nullable(),
  name: z.string().min(1).optional(),
  scopes: z.array(z.enum(SCOPES)).transform(includedScopes).optional(),
  servers: z.array(z.string()).optional(),
});

/** A missing `readers` is an error: it must not mean that there is no restriction. */
export function parseCaller(caller: unknown): Caller {
  return parseWith(callerSchema, caller, 'caller');
}

export function mayRead({ readers }: Caller, entity: Pick<Entity, 'visibility' | 'owner' | 'allowed_groups'>): boolean {
  return readers === null || readerKeys(entity).some((key) => readers.includes(key));
}

/**
 * Whether a caller may change an entity that it sees: its owner, a group that it is shared with, and admins may. Others only
 * read it, also when it is public.
 */
export function mayChange(
  caller: Caller,
  { owner, allowed_groups }: Pick<Entity, 'owner' | 'allowed_groups'>,
): boolean {
  const { readers, name, scopes } = caller;
  if (!hasRight(caller, 'write')) return false;
  if (scopes === undefined || scopes.includes('admin')) return true;
  if (name !== undefined && owner === name) return true;
  return readers === null || allowed_groups.some((group) => readers.includes(`group:${group}`));
}
