import type { DowserError, ErrorCode } from '../../model/errors/errors.ts';
import { hasSmallBody } from './receive-body.ts';

/** A busy or stopping server refuses many requests, and they are no fault of it. */
const EXPECTED: ReadonlySet<ErrorCode> = new Set(['OVERLOADED', 'SERVER_STOPPING', 'BODY_TOO_SLOW']);

/** Whether to log it with its stack. */
export function isFailure({ code, httpStatus }: DowserError): boolean {
  return httpStatus >= 500 && !EXPECTED.has(code);
}

/** The rest of a body is not read. A refused client that sent little keeps its connection: to open one costs more than a refusal. */
export function isClosing(code: ErrorCode, request: Request): boolean {
  return code === 'OVERLOADED' ? !hasSmallBody(request) : EXPECTED.has(code);
}
