/**
 * Every error Dowser raises on purpose. A code is for programs, the message for people, the hint for the next step.
 * The table maps each code once to an HTTP status and a process exit code; surfaces never decide that for themselves.
 */
export const ERROR_CODES = {
  INVALID_REQUEST: { http: 422, exit: 2, title: 'A field of the request has a wrong value' },
  MALFORMED_JSON: { http: 400, exit: 2, title: 'The body or a line of a file is not JSON' },
  EMPTY_SEARCH: { http: 400, exit: 2, title: 'A search needs a query, tags or both' },
  UNSUPPORTED_MEDIA_TYPE: { http: 415, exit: 2, title: 'The body has a type that the route does not read' },
  BODY_TOO_LARGE: { http: 413, exit: 2, title: 'The request body is over the limit' },
  UNKNOWN_TYPE: { http: 422, exit: 2, title: 'No such entity type' },
  UNKNOWN_PRESET: { http: 422, exit: 2, title: 'No such ranking preset' },
  ALREADY_EXISTS: { http: 409, exit: 1, title: 'There is already an entity at that path' },
  DUPLICATE_PATH: { http: 409, exit: 2, title: 'A batch names the same entity twice' },
  WRONG_DIMENSIONS: { http: 422, exit: 2, title: 'A vector does not have the size of the index' },
  NOT_FOUND: { http: 404, exit: 1, title: 'No such entity, route or file' },
  FORBIDDEN: { http: 403, exit: 1, title: 'The caller may not do this' },
  METHOD_NOT_ALLOWED: { http: 405, exit: 2, title: 'The route exists, but not for this method' },
  NOT_IMPLEMENTED: { http: 501, exit: 1, title: 'The standard has this route, but Dowser does not do it' },
  EMBEDDER_UNAVAILABLE: { http: 503, exit: 1, title: 'The embedding model cannot be used now' },
  EMBEDDER_REJECTED: { http: 502, exit: 1, title: 'The embedding endpoint refused the request or answered nonsense' },
  MODEL_MISSING: { http: 503, exit: 1, title: 'The local embedding model is not in the model store' },
  MODEL_DOWNLOAD_FAILED: { http: 503, exit: 1, title: 'The local embedding model could not be fetched' },
  MODEL_CORRUPT: { http: 503, exit: 1, title: 'A model file does not have its pinned checksum' },
  STORE_CORRUPT: { http: 503, exit: 1, title: 'The database file cannot be read' },
  STORE_TOO_NEW: { http: 503, exit: 1, title: 'The database was written by a newer Dowser' },
  STORE_LOCKED: { http: 503, exit: 1, title: 'The data folder is in use' },
  STORE_FULL: { http: 507, exit: 1, title: 'The disk is full or a file cannot grow' },
  ENGINE_UNAVAILABLE: { http: 503, exit: 1, title: 'The search engine cannot answer now' },
  PORT_IN_USE: { http: 503, exit: 1, title: 'The address to serve on is taken' },
  SERVER_UNREACHABLE: { http: 503, exit: 1, title: 'No Dowser server answers at that address' },
  SOURCE_UNREACHABLE: { http: 502, exit: 1, title: 'A server, file or address to add cannot be reached' },
  INVALID_SETTING: { http: 500, exit: 2, title: 'A setting has a wrong value' },
  INVALID_FILE: { http: 422, exit: 2, title: 'A file to import cannot be used' },
  INTERNAL: { http: 500, exit: 70, title: 'A defect of Dowser itself' },
} as const satisfies Record<string, { http: number; exit: number; title: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Where those who use the library find what a request may be. */
const TYPES_HINT = 'The exported types say what each field may be, such as SearchRequestInput and EntityInput.';

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
  /** The values that are allowed. */
  readonly allowed?: readonly string[];
  /** The lowest and the highest number, length or size that is allowed. */
  readonly min?: number;
  readonly max?: number;
  readonly did_you_mean?: string;
  /** How many more problems the same input has. */
  readonly more_problems?: number;
  /** Where a text stops being JSON, counted from 1. */
  readonly line?: number;
  readonly column?: number;
  /** The process that holds the data folder, and the folder. */
  readonly pid?: number;
  readonly data_dir?: string;
  /** The code of the operating system or of npm, such as `ENOSPC`. */
  readonly reason?: string;
  /** Where the HTTP API documents what is right. */
  readonly docs?: string;
}

export interface DowserErrorOptions {
  /** What the reader can do next, as one sentence. */
  readonly hint?: string | undefined;
  /** The field at fault, as a dot path (`tools.0.name`). */
  readonly field?: string | undefined;
  readonly details?: ErrorDetails | undefined;
  readonly cause?: unknown;
}

export class DowserError extends Error {
  readonly code: ErrorCode;
  /** What to do next. Where a wrong request came without one, it says where the library tells what is right. */
  readonly hint: string | undefined;
  /** The hint it came with. A surface that tells elsewhere what is right says so where this is undefined. */
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

/** Wraps whatever was thrown; what is not ours is a defect and never shows its inside to a caller. */
export function toDowserError(thrown: unknown): DowserError {
  if (thrown instanceof DowserError) return thrown;
  return new DowserError('INTERNAL', 'Something went wrong inside Dowser.', {
    hint: 'The log of the server or of the command holds the details.',
    cause: thrown,
  });
}
