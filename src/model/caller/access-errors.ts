import { DowserError } from '../errors/errors.ts';
import type { Right } from './caller.ts';

/** The credentials of a request are missing or wrong. `reason` is a sentence, without anything of the credentials. */
export function unauthenticated(reason: string, hint?: string): DowserError {
  return new DowserError('UNAUTHENTICATED', reason, {
    hint: hint ?? 'Send an API key or an access token as `Authorization: Bearer ...`. `dowser key create` makes a key.',
  });
}

/** No tools of registered servers are called. */
export const callsAreOff = (): DowserError =>
  new DowserError('NOT_CALLABLE', 'Calls are off.', {
    hint: "The operator can turn them on with the setting 'call', such as `dowser serve --call read`.",
    details: { retryable: false },
  });

/** The caller is known, and lacks a scope. */
export function insufficientScope(right: Right): DowserError {
  return new DowserError('INSUFFICIENT_SCOPE', `This needs the scope '${right}'.`, {
    hint: 'Use a key or a token with this scope, or ask an admin for it.',
    details: { scope: right },
  });
}
