import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { partWithin } from '../../model/text/token-count.ts';
import type { ResultPart } from '../contract/tool-caller.ts';
import { wholeText } from './cut-result.ts';

const KEEP_MS = 10 * 60_000;
const MAX_BYTES = 64 * 1024 * 1024;

interface Kept {
  readonly caller: string;
  readonly result: JsonObject;
  readonly bytes: number;
  readonly until: number;
}

/** Answers that were cut, in memory, each for its caller. */
export class KeptResults {
  readonly #kept = new Map<string, Kept>();
  readonly #now: () => number;
  #bytes = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The oldest go first. One that is too large alone is not kept. */
  keep(id: string, caller: string, result: JsonObject): void {
    const bytes = Buffer.byteLength(JSON.stringify(result));
    this.#forgetOld();
    if (bytes > MAX_BYTES) return;
    for (const [oldest, { bytes: freed }] of this.#kept) {
      if (this.#bytes + bytes <= MAX_BYTES) break;
      this.#kept.delete(oldest);
      this.#bytes -= freed;
    }
    this.#kept.set(id, { caller, result, bytes, until: this.#now() + KEEP_MS });
    this.#bytes += bytes;
  }

  /** A part of a text, or a block as it is. Throws NOT_FOUND, the same for an id of another caller. */
  read(id: string, caller: string, fromChar: number, maxTokens: number): ResultPart {
    this.#forgetOld();
    const [, name = '', part] = /^([0-9a-f]+)(?:\.(structured|\d+))?$/.exec(id) ?? [];
    const kept = this.#kept.get(name);
    if (kept === undefined || kept.caller !== caller) throw notKept();
    const { result } = kept;
    if (part !== undefined && part !== 'structured') {
      const block = Array.isArray(result.content) ? result.content[Number(part)] : undefined;
      if (!isJsonObject(block)) throw notKept();
      return { text: '', block, next: null, total: 0 };
    }
    const whole = part === undefined ? wholeText(result) : JSON.stringify(result.structuredContent ?? null);
    const text = partWithin(whole.slice(fromChar), maxTokens);
    const next = fromChar + text.length;
    return { text, next: next < whole.length ? next : null, total: whole.length };
  }

  #forgetOld(): void {
    const now = this.#now();
    for (const [id, { until, bytes }] of this.#kept) {
      if (until > now) break;
      this.#kept.delete(id);
      this.#bytes -= bytes;
    }
  }
}

const notKept = () =>
  new DowserError('NOT_FOUND', 'There is no kept result with this id.', {
    field: 'id',
    hint: 'Results are kept for 10 minutes. Call the tool again, with a larger max_tokens or arguments that ask for less.',
  });
