import { DowserError } from '../../../model/errors/errors.ts';
import { trimEndChars } from '../../../model/text/trim-chars.ts';

interface DriverError {
  readonly code?: unknown;
  readonly severity?: unknown;
  readonly message?: unknown;
}

/** Codes of PostgreSQL, by their first characters, with what to do. */
const HINTS: readonly (readonly [code: string, hint: string])[] = [
  ['28', "Check the user and the password of the setting 'store'."],
  ['3D000', "Create the database, or correct the setting 'store'."],
  ['42501', 'Give the user the right to create and write tables in this database.'],
  ['55P03', 'Another node or a restore holds it for very long. Dowser tries again.'],
  ['53300', 'The database has no connection left. Each node needs two.'],
  ['25006', "The database is read-only. Point the setting 'store' to the primary."],
];

/** An error that the server answered with, on a connection that goes on. All others are of the connection. */
export function isServerError(error: unknown): boolean {
  const { severity } = (error ?? {}) as DriverError;
  // The server ends the connection: it shuts down, or the session was idle for too long.
  if (severity === 'FATAL' || severity === 'PANIC') return false;
  return /^[0-9FHPX][0-9A-Z]{4}$/.test(codeOf(error));
}

export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as DriverError;
  return typeof code === 'string' ? code : '';
}

/** Says what failed without the address that was given: a driver never puts a password into its messages, an address has one. */
export function toRecordError(error: unknown, address: string): DowserError {
  if (error instanceof DowserError) return error;
  const code = codeOf(error);
  if (code === '53100') {
    return new DowserError('STORE_FULL', `The disk of the database at ${address} is full.`, {
      hint: 'Free some space. Nothing of this write was stored.',
      cause: error,
    });
  }
  const hint = HINTS.find(([start]) => code.startsWith(start))?.[1] ?? 'Dowser connects again by itself.';
  const reason = code === '' ? messageOf(error) : `${messageOf(error)} (${code})`;
  return new DowserError('RECORD_UNAVAILABLE', `The record at ${address} cannot be used: ${reason}.`, {
    hint,
    cause: error,
    details: code === '' ? undefined : { reason: code },
  });
}

/** The commit was sent, and the answer did not come. */
export function unknownCommit(error: unknown, address: string): DowserError {
  const message = `The connection to the record at ${address} was lost during the commit. It is unknown whether the write was stored.`;
  return new DowserError('RECORD_UNAVAILABLE', message, {
    hint: 'Read the entity before you write again.',
    cause: error,
  });
}

function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as DriverError;
  const text = typeof message === 'string' && message !== '' ? message : 'no answer';
  return trimEndChars(text, '. \n');
}
