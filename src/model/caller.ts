import { z } from 'zod';
import type { Entity } from './entity.ts';
import { readerKeys } from './filter.ts';
import { parseWith } from './parse.ts';

/** The caller of a registry. */
export interface Caller {
  /** Reader keys (see `readerKeys`): the caller sees only entities that one of them may read. Null: no restriction. */
  readonly readers: readonly string[] | null;
}

/** Sees everything. */
export const UNRESTRICTED: Caller = { readers: null };

/** An unknown caller: sees public entities only. */
export const STRANGER: Caller = { readers: ['public'] };

/** Who it is, for sessions and reports: the user, or the reader keys of a caller without a name. */
export function callerKey({ readers }: Caller): string {
  if (readers === null) return 'owner';
  return readers.find((key) => key.startsWith('user:')) ?? [...readers].sort().join(' ');
}

const callerSchema = z.strictObject({ readers: z.array(z.string()).nullable() });

/** A missing `readers` is an error: it must not mean that there is no restriction. */
export function parseCaller(caller: unknown): Caller {
  return parseWith(callerSchema, caller, 'caller');
}

export function mayRead({ readers }: Caller, entity: Pick<Entity, 'visibility' | 'owner' | 'allowed_groups'>): boolean {
  return readers === null || readerKeys(entity).some((key) => readers.includes(key));
}
