import { DowserError, type ErrorCode, type ErrorDetails } from '../../model/errors/errors.ts';

/** The codes of a call that failed for another reason than the tool's own. `docs/calls.md` has them all. */
export const CALL_CODES = [
  'NOT_FOUND',
  'NOT_CALLABLE',
  'CLASS_REFUSED',
  'FORBIDDEN',
  'DRIFTED',
  'INVALID_ARGUMENTS',
  'STARTING',
  'UNAVAILABLE',
  'SIGN_IN_NEEDED',
  'TIMEOUT',
  'OUTCOME_UNKNOWN',
  'CANCELLED',
  'RATE_LIMITED',
  'BUSY',
  'INPUT_NEEDED',
  'PROTOCOL',
] as const satisfies readonly ErrorCode[];
export type CallCode = (typeof CALL_CODES)[number];

/** Those after which the same call may succeed, and can do no harm. */
const RETRYABLE: readonly ErrorCode[] = ['STARTING', 'UNAVAILABLE', 'RATE_LIMITED', 'BUSY'];

export function callError(
  code: CallCode,
  message: string,
  hint: string,
  details: ErrorDetails & { readonly field?: string; readonly cause?: unknown } = {},
): DowserError {
  const { field, cause, ...facts } = details;
  const retryable = facts.retryable ?? RETRYABLE.includes(code);
  return new DowserError(code, message, { hint, field, cause, details: { retryable, ...facts } });
}
