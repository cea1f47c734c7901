import { DowserError } from '../../model/errors/errors.ts';
import { overloaded } from './admission.ts';

/** The bytes of all request bodies in memory. */
export class BodyBudget {
  readonly #max: number;
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get used(): number {
    return this.#used;
  }

  /** Throws OVERLOADED if there is no room. */
  take(bytes: number): void {
    if (this.#used + bytes > this.#max) throw overloaded(`request bodies take ${this.#max} bytes of memory already`);
    this.#used += bytes;
  }

  give(bytes: number): void {
    this.#used -= bytes;
  }
}

export interface BodyLimits {
  /** Of one body. */
  readonly maxBytes: number;
  readonly budget: BodyBudget;
  /** How long a body may take to arrive. */
  readonly timeoutMs: number;
}

export interface ReceivedBody {
  readonly bytes: Uint8Array;
  /** Call it when the request is answered: what was made of the bytes takes memory until then. */
  release(): void;
}

/** Reserved at once and read the fast way. A longer body is counted as it arrives. */
const SMALL_BYTES = 64 * 1024;

/** Whether a request announces that its body is small, or has none. */
export function hasSmallBody({ headers }: Request): boolean {
  return !headers.has('transfer-encoding') && Number(headers.get('content-length') ?? 0) <= SMALL_BYTES;
}

/** Reads a body within the limits. Stops reading at the limit, with or without Content-Length. */
export async function receiveBody(request: Request, limits: BodyLimits): Promise<ReceivedBody> {
  const { maxBytes, budget } = limits;
  const announced = request.headers.get('content-length');
  if (announced !== null && Number(announced) > maxBytes) throw tooLarge(`${announced} bytes`, maxBytes);
  let taken = 0;
  const take = (bytes: number) => {
    budget.take(bytes);
    taken += bytes;
  };
  const release = () => {
    budget.give(taken);
    taken = 0;
  };
  try {
    const isSmall = announced !== null && Number(announced) <= SMALL_BYTES;
    if (isSmall) take(Number(announced));
    const reading = isSmall ? wholeBody(request) : readUpTo(request, maxBytes, take);
    return { bytes: await inTime(reading, limits.timeoutMs), release };
  } catch (thrown) {
    release();
    throw thrown instanceof DowserError ? thrown : incomplete(thrown);
  }
}

async function wholeBody(request: Request): Promise<Uint8Array> {
  return new Uint8Array(await request.arrayBuffer());
}

async function readUpTo(request: Request, limit: number, take: (bytes: number) => void): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(chunks);
      size += value.byteLength;
      if (size > limit) throw tooLarge('too large', limit);
      take(value.byteLength);
      chunks.push(value);
    }
  } finally {
    // Not canceled: that would close the connection before the client has read the answer.
    reader.releaseLock();
  }
}

/** A client that sends a byte now and then must not keep its memory and its connection for ever. */
function inTime(reading: Promise<Uint8Array>, timeoutMs: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooSlow(timeoutMs)), timeoutMs);
    reading.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

/** A client that leaves while it sends is no fault of the server. */
function incomplete(cause: unknown): DowserError {
  return new DowserError('BODY_INCOMPLETE', 'The connection closed before the request body arrived.', {
    hint: 'Send the request again.',
    cause,
  });
}

function tooSlow(timeoutMs: number): DowserError {
  return new DowserError('BODY_TOO_SLOW', `The request body did not arrive within ${timeoutMs} ms.`, {
    hint: "Send it faster or in several requests, or raise the setting 'body_timeout_ms'.",
    details: { max: timeoutMs },
  });
}

function tooLarge(size: string, limit: number): DowserError {
  return new DowserError('BODY_TOO_LARGE', `The request body is ${size}; the limit is ${limit} bytes.`, {
    hint: "Split it into several requests, or raise the setting 'body_limit_bytes'.",
    details: { max: limit },
  });
}
