import type { JsonObject } from '../json/json-object.ts';

/**
 * Every error of Dowser. The code is for programs, the message for people, the hint for the next step. The table gives each
 * code its HTTP status and exit code, for every surface.
 */
export const ERROR_CODES = {
  INVALID_REQUEST: { http: 422, exit: 2, title: 'A field of the request is invalid' },
  MALFORMED_JSON: { http: 400, exit: 2, title: 'The body or a line of a file is not JSON' },
  EMPTY_SEARCH: { http: 400, exit: 2, title: 'A search needs a query, tags or both' },
  UNSUPPORTED_MEDIA_TYPE: { http: 415, exit: 2, title: 'The route does not accept this content type' },
  BODY_TOO_LARGE: { http: 413, exit: 2, title: 'The request body is too large' },
  BODY_TOO_SLOW: { http: 408, exit: 1, title: 'The request body did not arrive in time' },
  BODY_INCOMPLETE: { http: 400, exit: 1, title: 'The connection closed before the body arrived' },
  OVERLOADED: { http: 503, exit: 1, title: 'The server is busy' },
  TOO_MANY_REQUESTS: { http: 429, exit: 1, title: 'The caller has sent too many requests' },
  SERVER_STOPPING: { http: 503, exit: 1, title: 'The server is about to stop' },
  UNKNOWN_TYPE: { http: 422, exit: 2, title: 'Unknown entity type' },
  UNKNOWN_PRESET: { http: 422, exit: 2, title: 'Unknown ranking preset' },
  ALREADY_EXISTS: { http: 409, exit: 1, title: 'An entity already exists at that path' },
  PRECONDITION_FAILED: { http: 412, exit: 1, title: 'The entity has changed since it was read' },
  DUPLICATE_PATH: { http: 409, exit: 2, title: 'A batch contains the same entity twice' },
  WRONG_DIMENSIONS: { http: 422, exit: 2, title: 'A vector has the wrong number of dimensions' },
  NOT_FOUND: { http: 404, exit: 1, title: 'The entity, route or file does not exist' },
  FORBIDDEN: { http: 403, exit: 1, title: 'The caller is not allowed to do this' },
  UNAUTHENTICATED: { http: 401, exit: 1, title: 'The credentials are missing or invalid' },
  INSUFFICIENT_SCOPE: { http: 403, exit: 1, title: 'The credentials lack the scope that this needs' },
  AUTH_UNAVAILABLE: { http: 503, exit: 1, title: 'The sign-in service cannot be reached' },
  AUDIT_UNAVAILABLE: { http: 507, exit: 1, title: 'The audit log cannot be written' },
  METHOD_NOT_ALLOWED: { http: 405, exit: 2, title: 'The route does not support this method' },
  NOT_IMPLEMENTED: { http: 501, exit: 1, title: 'Dowser does not implement this route of the standard' },
  EMBEDDER_UNAVAILABLE: { http: 503, exit: 1, title: 'The embedding model is temporarily unavailable' },
  EMBEDDER_REJECTED: {
    http: 502,
    exit: 1,
    title: 'The embedding endpoint refused the request or sent an unusable answer',
  },
  CHAT_UNAVAILABLE: { http: 503, exit: 1, title: 'The chat model does not answer' },
  CHAT_REJECTED: { http: 502, exit: 1, title: 'The chat endpoint refused the request or sent an unusable answer' },
  MODEL_MISSING: { http: 503, exit: 1, title: 'The local embedding model is not installed' },
  MODEL_DOWNLOAD_FAILED: { http: 503, exit: 1, title: 'The local embedding model could not be downloaded' },
  MODEL_CORRUPT: { http: 503, exit: 1, title: 'A model file has the wrong checksum' },
  STORE_CORRUPT: { http: 503, exit: 1, title: 'The database file is damaged' },
  STORE_LOST_WRITES: { http: 503, exit: 1, title: 'The store lost acknowledged writes' },
  STORE_TOO_NEW: { http: 503, exit: 1, title: 'The database was written by a newer Dowser' },
  STORE_LOCKED: { http: 503, exit: 1, title: 'The data folder is in use' },
  STORE_FULL: { http: 507, exit: 1, title: 'The disk is full' },
  ENGINE_UNAVAILABLE: { http: 503, exit: 1, title: 'The search engine is temporarily unavailable' },
  RECORD_UNAVAILABLE: { http: 503, exit: 1, title: 'The shared record cannot be reached or used' },
  VECTORS_UNAVAILABLE: { http: 503, exit: 1, title: 'The vector server cannot be reached or used' },
  REPLICA_BEHIND: { http: 503, exit: 1, title: 'This node does not have the latest writes yet' },
  GRAPH_UNAVAILABLE: { http: 503, exit: 1, title: 'The graph database is temporarily unavailable' },
  PORT_IN_USE: { http: 503, exit: 1, title: 'The port is already in use' },
  SERVER_UNREACHABLE: { http: 503, exit: 1, title: 'No Dowser server answers at that address' },
  NOT_CALLABLE: { http: 409, exit: 11, title: 'The tool may not be called here' },
  CLASS_REFUSED: { http: 403, exit: 11, title: 'Tools that do this are not allowed' },
  DRIFTED: { http: 409, exit: 11, title: 'The tool has changed since it was accepted' },
  INVALID_ARGUMENTS: { http: 422, exit: 2, title: "The arguments do not fit the tool's schema" },
  STARTING: { http: 503, exit: 10, title: 'The server of the tool is still starting' },
  UNAVAILABLE: { http: 503, exit: 10, title: 'The server of the tool cannot be reached' },
  SIGN_IN_NEEDED: { http: 403, exit: 11, title: 'The server of the tool requires a sign-in' },
  TIMEOUT: { http: 504, exit: 12, title: 'The tool did not answer in time' },
  OUTCOME_UNKNOWN: { http: 504, exit: 12, title: 'The tool may have run, but its answer was lost' },
  CANCELLED: { http: 409, exit: 1, title: 'The call was cancelled' },
  RATE_LIMITED: { http: 429, exit: 10, title: 'The caller has called this tool too often' },
  BUSY: { http: 503, exit: 10, title: 'Every instance of the server is busy' },
  INPUT_NEEDED: { http: 409, exit: 11, title: 'The tool asks for input that cannot be given' },
  PROTOCOL: { http: 502, exit: 1, title: 'The server of the tool answered with a protocol error' },
  SOURCE_UNREACHABLE: { http: 502, exit: 1, title: 'A server, file or address to add cannot be reached' },
  INVALID_SETTING: { http: 500, exit: 2, title: 'A setting is invalid' },
  INVALID_FILE: { http: 422, exit: 2, title: 'A file is invalid or cannot be read' },
  INTERNAL: { http: 500, exit: 70, title: 'A bug in Dowser' },
} as const satisfies Record<string, { http: number; exit: number; title: string }>;

/** The code of an error: see docs/errors.md. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** The hint of the library for an invalid request. */
const TYPES_HINT = 'See the exported types, such as SearchRequestInput and EntityInput.';

/**
 * The facts of an error as plain JSON, so that no program has to read the message. An error has those that apply to it.
 * New fields may be added at any time.
 */
export interface ErrorDetails {
  /** What was checked, such as `search request` or `entity`. */
  readonly subject?: string;
  /** The rejected value as JSON, cut to 80 characters. Absent where the field is missing. */
  readonly value?: string;
  /** What the value must be, such as `must be from 1 to 50`. */
  readonly expected?: string;
  /** The allowed values. */
  readonly allowed?: readonly string[];
  /** The allowed range of a number, a length or a size. */
  readonly min?: number;
  readonly max?: number;
  readonly did_you_mean?: string;
  /** How many more problems the same input has. */
  readonly more_problems?: number;
  /** Where a text stops being JSON, counted from 1. */
  readonly line?: number;
  readonly column?: number;
  /** The process that locks the data folder, and the folder. */
  readonly pid?: number;
  readonly data_dir?: string;
  /** The last write that the database has, and the last one that was acknowledged. */
  readonly revision?: number;
  readonly last_revision?: number;
  /** The code of the operating system or of npm, such as `ENOSPC`. */
  readonly reason?: string;
  /** The scope that the caller lacks. */
  readonly scope?: string;
  /** Seconds to wait before the next request, as in the `Retry-After` header. */
  readonly retry_after?: number;
  /** Where the HTTP API documents its requests. */
  readonly docs?: string;
  /** Whether the same call may succeed later, and can be repeated without harm. */
  readonly retryable?: boolean;
  /** Arguments that fit the schema of the tool. */
  readonly example?: JsonObject;
  /** The code of the JSON-RPC error of the tool's server. */
  readonly upstream_code?: number;
}

export interface DowserErrorOptions {
  /** What to do next, as one sentence. */
  readonly hint?: string | undefined;
  /** The field at fault, as a dot path (`tools.0.name`). */
  readonly field?: string | undefined;
  readonly details?: ErrorDetails | undefined;
  readonly cause?: unknown;
}

/** Every error that Dowser throws on purpose: a code for programs, a sentence with the value, and a hint for what to do. */
export class DowserError extends Error {
  readonly code: ErrorCode;
  /** What to do next. For an invalid request without a hint, it points to the types of the library. */
  readonly hint: string | undefined;
  /** The hint without that default, so that each surface can point to its own documentation. */
  readonly ownHint: string | undefined;
  readonly field: string | undefined;
  readonly details: ErrorDetails | undefined;

  constructor(code: ErrorCode, message: string, options: DowserErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'DowserError';
    this.code = code;
    this.ownHint = options.hint;
    this.hint = options.hint ?? (code === 'INVALID_REQUEST' ? TYPES_HINT : undefined);
    this.field = options.field;
    this.details = options.details;
  }

  get httpStatus(): number {
    return ERROR_CODES[this.code].http;
  }

  get exitCode(): number {
    return ERROR_CODES[this.code].exit;
  }
}

/** The wire form of an error, the same on every surface. */
export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly hint?: string;
    readonly field?: string;
    readonly details?: ErrorDetails;
  };
}

/** Where a surface documents its requests, for a wrong request whose error has no hint. */
export interface ReadMore {
  readonly hint: string;
  /** For `details.docs`. */
  readonly docs?: string;
}

export function toErrorBody(error: DowserError, readMore?: ReadMore): ErrorBody {
  const { code, message, ownHint, field } = error;
  const { hint, docs } = ownHint === undefined && code === 'INVALID_REQUEST' ? { ...readMore } : { hint: ownHint };
  const details = docs === undefined ? error.details : { ...error.details, docs };
  return {
    error: {
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(field === undefined ? {} : { field }),
      ...(details === undefined ? {} : { details }),
    },
  };
}

/** Wraps whatever was thrown. Anything but a DowserError is a bug, and its message is never shown to a caller. */
export function toDowserError(thrown: unknown): DowserError {
  if (thrown instanceof DowserError) return thrown;
  return new DowserError('INTERNAL', 'Internal error.', {
    hint: 'The log has the details.',
    cause: thrown,
  });
}

/** The model refuses a text of this call, or cannot turn it into a vector, and embeds others. */
export class RefusedText extends DowserError {
  constructor(cause: DowserError) {
    super('EMBEDDER_REJECTED', `The model embeds other texts, but not this one: ${cause.message}`, {
      hint: 'Change the text. Until then, it is searched by keyword only.',
      cause,
    });
  }
}
