import { DowserError } from '../../model/errors/errors.ts';
import type { NoAnswer } from './http-connection.ts';

const RETRY_HINT = 'Dowser connects again by itself. Searches are by keyword only meanwhile.';
const MAX_REASON = 200;

/** The server has no such collection: it is new, or was wiped. */
export class MissingCollection extends DowserError {
  constructor(address: string) {
    super('VECTORS_UNAVAILABLE', `Qdrant at ${address} does not have the vectors of this store yet.`, {
      hint: 'They are filled in from the record. Searches are by keyword only meanwhile.',
      details: { reason: 'missing' },
    });
  }
}

/** No node gave an answer. */
export function unreachable(address: string, cause: NoAnswer): DowserError {
  return new DowserError('VECTORS_UNAVAILABLE', `Qdrant at ${address} cannot be reached: ${cause.message}.`, {
    hint: RETRY_HINT,
    details: { reason: cause.isTimeout ? 'timeout' : 'connection' },
    cause,
  });
}

/** What the server answered, without anything that was sent to it. */
export function refused(address: string, status: number, body: string): DowserError {
  const isDenied = status === 401 || status === 403;
  const reason = isDenied ? 'it does not accept the API key' : `${status} ${errorIn(body)}`.trim();
  return new DowserError('VECTORS_UNAVAILABLE', `Qdrant at ${address} cannot be used: ${reason}.`, {
    hint: isDenied ? "Check the setting 'vectors_api_key'." : hintFor(status, body),
    details: { reason: String(status) },
  });
}

export function tooOld(address: string, version: string, minimum: string): DowserError {
  return new DowserError('VECTORS_UNAVAILABLE', `Qdrant at ${address} has version ${version}, below ${minimum}.`, {
    hint: `Update Qdrant to ${minimum} or newer.`,
    details: { reason: 'version' },
  });
}

/** Something else listens there. */
export function notQdrant(address: string): DowserError {
  return new DowserError('VECTORS_UNAVAILABLE', `What answers at ${address} is not Qdrant.`, {
    hint: "Check the setting 'vectors'.",
    details: { reason: 'answer' },
  });
}

/** Nothing listens there, or the connection broke. */
export const isConnectionError = (error: DowserError): boolean => error.details?.reason === 'connection';

function hintFor(status: number, body: string): string {
  if (/no space left|disk (?:is )?full|out of disk/i.test(body)) return 'Free some space on the disk of Qdrant.';
  return status >= 500 ? RETRY_HINT : 'See the log of Qdrant.';
}

function errorIn(body: string): string {
  try {
    const { status } = JSON.parse(body) as { status?: { error?: unknown } };
    return String(status?.error ?? '').slice(0, MAX_REASON);
  } catch {
    return body.slice(0, MAX_REASON);
  }
}
