import { DowserError, ERROR_CODES, type ErrorBody, type ErrorCode } from '../model/errors/errors.ts';

/** Undefined: the text is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Runtimes put the reason of a failed request into the cause of the error. */
export function reasonOf(thrown: unknown): string {
  const { cause, message } = thrown as { cause?: { code?: string; message?: string }; message?: string };
  return cause?.code ?? cause?.message ?? message ?? String(thrown);
}

export function unreachable(baseUrl: string, what: string, cause?: unknown): DowserError {
  return new DowserError('SERVER_UNREACHABLE', `The server at ${baseUrl} ${what}.`, {
    hint: 'Check the address, and that `dowser serve` is running there.',
    cause,
  });
}

/** What a refused request says. */
export function toError(baseUrl: string, status: number, json: unknown): DowserError {
  const error = (json as Partial<ErrorBody> | null)?.error;
  if (typeof error?.message !== 'string') return unreachable(baseUrl, `answers ${status}, but not as Dowser does`);
  return new DowserError(knownCode(error.code, status), error.message, {
    hint: error.hint,
    field: error.field,
    details: error.details,
  });
}

/** A newer server may have codes that this client does not know. The status still tells whose fault it is. */
export function knownCode(code: string, status: number): ErrorCode {
  if (Object.hasOwn(ERROR_CODES, code)) return code as ErrorCode;
  return status < 500 ? 'INVALID_REQUEST' : 'INTERNAL';
}
