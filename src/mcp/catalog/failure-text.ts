import type { DowserError } from '../../model/errors/errors.ts';

/** An error as a model reads it. */
export function failureText({ code, message, ownHint }: DowserError): string {
  return ownHint === undefined ? `${code}: ${message}` : `${code}: ${message} ${ownHint}`;
}
