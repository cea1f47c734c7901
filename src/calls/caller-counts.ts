import { DowserError } from '../model/errors/errors.ts';
import { callError } from './contract/call-errors.ts';

/** How many seconds of calls may come at once. */
const BURST_S = 2;
/** Pairs of a caller and a tool that are remembered. A forgotten one begins with a full share. */
const MAX_REMEMBERED = 10_000;

/** How often each caller may call each tool. */
export class CallRate {
  readonly #perSecond: number;
  readonly #now: () => number;
  readonly #shares = new Map<string, { left: number; at: number }>();

  constructor(perSecond: number, now: () => number) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** Throws RATE_LIMITED. */
  take(caller: string, path: string): void {
    if (this.#perSecond === 0) return;
    const key = JSON.stringify([caller, path]);
    const now = this.#now();
    const most = this.#perSecond * BURST_S;
    const { left, at } = this.#shares.get(key) ?? { left: most, at: now };
    const share = Math.min(most, left + ((now - at) / 1000) * this.#perSecond);
    this.#shares.delete(key);
    this.#shares.set(key, { left: share < 1 ? share : share - 1, at: now });
    forgetOldest(this.#shares);
    if (share >= 1) return;
    const retry_after = Math.max(1, Math.ceil((1 - share) / this.#perSecond));
    throw callError(
      'RATE_LIMITED',
      `${path} was called more than ${this.#perSecond} times a second.`,
      `Call it again in ${retry_after} s.`,
      { retry_after },
    );
  }
}

/** The same refusal so often in a row is a loop. */
const LOOP = 3;

/** Tells a caller that it repeats a call that was refused. */
export class RepeatedRefusals {
  readonly #last = new Map<string, { readonly message: string; count: number }>();

  forget(caller: string): void {
    this.#last.delete(caller);
  }

  /** The error, with a hint from the third time on. */
  noted(caller: string, error: DowserError): DowserError {
    const last = this.#last.get(caller);
    const count = last?.message === error.message ? last.count + 1 : 1;
    this.#last.delete(caller);
    this.#last.set(caller, { message: error.message, count });
    forgetOldest(this.#last);
    if (count < LOOP) return error;
    const { code, message, ownHint = '', field, details, cause } = error;
    const hint = `This is refusal ${count} of the same call: do something else. ${ownHint}`.trim();
    return new DowserError(code, message, { hint, field, details, cause });
  }
}

function forgetOldest(map: Map<string, unknown>): void {
  if (map.size > MAX_REMEMBERED) map.delete(map.keys().next().value!);
}
