import { isIPv6 } from 'node:net';
import { DowserError } from '../../model/errors/errors.ts';

export interface CallerLimitOptions {
  /** Requests a second on average. 0: any number. */
  readonly perSecond: number;
  /** Requests at once, with those that wait for their turn. 0: any number. */
  readonly inFlight: number;
  /** Milliseconds of a clock that never goes back. Default: the process's. */
  readonly now?: () => number;
  /** Callers that are remembered. Default 10,000. */
  readonly maxCallers?: number;
}

interface Share {
  /** Requests that may be sent at once. */
  tokens: number;
  at: number;
  inFlight: number;
}

/** A caller that was quiet may send the requests of this many seconds at once. */
const BURST_SECONDS = 5;
/** More than there can be connections: one without a request in flight is always among them. */
const MAX_CALLERS = 10_000;

/**
 * The share of each caller: one that sends too much is refused while others are served. Who is not remembered has its whole
 * share, so forgetting the callers that were quiet the longest bounds the memory and refuses no caller.
 */
export class CallerLimits {
  readonly #options: CallerLimitOptions;
  readonly #now: () => number;
  readonly #maxCallers: number;
  /** The least recently seen first. */
  readonly #shares = new Map<string, Share>();
  readonly #refused = { rate: 0, in_flight: 0 };

  constructor(options: CallerLimitOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#maxCallers = options.maxCallers ?? MAX_CALLERS;
  }

  /** Requests that were refused, by the limit that they met. */
  get refused(): { readonly rate: number; readonly in_flight: number } {
    return this.#refused;
  }

  get remembered(): number {
    return this.#shares.size;
  }

  /** Counts requests. Throws TOO_MANY_REQUESTS, and counts none of them, if there are too many. */
  take(who: string, requests = 1): void {
    const { perSecond } = this.#options;
    if (perSecond === 0) return;
    const share = this.#shareOf(who);
    if (share.tokens >= requests) {
      share.tokens -= requests;
      return;
    }
    this.#refused.rate++;
    // A batch larger than any burst never fits: the hint asks for a smaller one.
    const missing = Math.min(requests, perSecond * BURST_SECONDS) - share.tokens;
    const retryAfter = Math.max(1, Math.ceil(missing / perSecond));
    throw tooMany(`${perSecond} requests a second`, perSecond, retryAfter, requests > 1);
  }

  /** Counts one request until the result is called: once, when its answer is over. Throws TOO_MANY_REQUESTS. */
  enter(who: string): () => void {
    this.take(who);
    const { inFlight } = this.#options;
    if (inFlight === 0) return () => {};
    const share = this.#shareOf(who);
    if (share.inFlight >= inFlight) {
      this.#refused.in_flight++;
      throw tooMany(`${inFlight} requests at once`, inFlight, 1);
    }
    share.inFlight++;
    return () => {
      share.inFlight--;
    };
  }

  #shareOf(who: string): Share {
    const now = this.#now();
    const { perSecond } = this.#options;
    const most = perSecond * BURST_SECONDS;
    const share = this.#shares.get(who) ?? { tokens: most, at: now, inFlight: 0 };
    share.tokens = Math.min(most, share.tokens + ((now - share.at) / 1000) * perSecond);
    share.at = now;
    this.#shares.delete(who);
    this.#shares.set(who, share);
    if (this.#shares.size > this.#maxCallers) this.#forgetOne();
    return share;
  }

  /** Never one with a request in flight, whose end it would miss. */
  #forgetOne(): void {
    for (const [who, { inFlight }] of this.#shares) {
      if (inFlight > 0) continue;
      this.#shares.delete(who);
      return;
    }
  }
}

/** Of a caller without a name. Who has an IPv6 address has 2^64 of them. */
export function addressKey(address: string | null): string {
  if (address === null) return 'address:unknown';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return `address:${mapped ?? address}`;
  const [head = '', tail] = address.split('%')[0]!.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
  return `address:${groups.slice(0, 4).join(':')}::/64`;
}

function tooMany(what: string, max: number, retryAfter: number, isBatch = false): DowserError {
  return new DowserError('TOO_MANY_REQUESTS', `You have sent too many requests: the limit is ${what}.`, {
    hint: `Send ${isBatch ? 'a smaller batch' : 'the request again'} after the time in the Retry-After header.`,
    details: { max, retry_after: retryAfter },
  });
}
