import { parseJson } from '../api/wire/json-text.ts';
import type { PeerState } from '../model/answer/result.ts';
import type { EntityId } from '../model/entity.ts';
import { idOf } from '../model/entity.ts';
import { DowserError } from '../model/errors/errors.ts';
import { isJsonObject, type JsonObject } from '../model/json/json-object.ts';
import type { PeerEntity, PeerQuestion, PeerStatus } from '../registry/contract/peers.ts';
import { boundedBody, networkReason } from '../sources/fetch/bounded-fetch.ts';
import { networkOf, onlyPublic, sourceFetch } from '../sources/fetch/pinned-fetch.ts';
import { SearchBreaker } from '../turns/search-breaker.ts';
import { peerEntity } from './peer-entity.ts';
import { PEER_KINDS, type PeerRequest } from './peer-kinds.ts';

export interface PeerSetting {
  readonly name: string;
  readonly url: string;
  readonly kind: keyof typeof PEER_KINDS;
  /** A reference such as `${ACME_KEY}`. */
  readonly token?: string | undefined;
  readonly groups?: readonly string[] | undefined;
}

/** Larger answers are not parsed. */
const MAX_BYTES = 1024 * 1024;
/** More results of one peer are not looked at. */
export const MAX_OF_PEER = 20;
/** The tools of all results of one peer. Each is a text to embed. */
const MAX_TOOLS_OF_PEER = 40;

/** What a token may consist of. */
const HEADER_TEXT = /^[\x21-\x7e]+$/;

interface Answer {
  readonly state: PeerState;
  readonly found: readonly PeerEntity[];
}

/** One peer: how it is asked, and what is known about it since the start. */
export class Peer {
  readonly setting: PeerSetting;
  readonly #fillIn: (reference: string) => Promise<string>;
  readonly #breaker = new SearchBreaker();
  /** Where its host was when its name first led somewhere: that is what the operator named. */
  #network: 'private' | 'public' | 'unknown' = 'unknown';
  #state: PeerStatus['state'] = 'unknown';
  #error: string | undefined;

  /** `fillIn` gives the value of a reference. */
  constructor(setting: PeerSetting, fillIn: (reference: string) => Promise<string>) {
    this.setting = setting;
    this.#fillIn = fillIn;
  }

  get status(): PeerStatus {
    const { name, url, kind } = this.setting;
    const status = { name, url, kind, state: this.#state };
    return this.#error === undefined ? status : { ...status, error: this.#error };
  }

  /** Never throws. Ends with the signal, whatever the peer does. */
  async ask(question: PeerQuestion, until: AbortSignal): Promise<Answer> {
    let entered: number;
    try {
      entered = this.#breaker.enter();
    } catch {
      return { state: 'paused', found: [] };
    }
    const stop = new AbortController();
    try {
      const found = await Promise.race([this.#ask(question, stop.signal), endedUnread(until)]);
      this.#breaker.succeeded();
      this.#state = 'answered';
      this.#error = undefined;
      return { state: 'answered', found };
    } catch (thrown) {
      const state = thrown === until.reason ? 'too_late' : 'failed';
      this.#error = state === 'too_late' ? 'It did not answer in time.' : reasonOf(thrown);
      this.#breaker.failed(new DowserError('SOURCE_UNREACHABLE', this.#error), entered);
      this.#state = state;
      return { state, found: [] };
    } finally {
      stop.abort();
    }
  }

  async #ask(question: PeerQuestion, until: AbortSignal): Promise<readonly PeerEntity[]> {
    const { kind, url } = this.setting;
    const headers = await this.#credentials();
    const requests = PEER_KINDS[kind].requests(url, question);
    if (this.#network === 'unknown') this.#network = await networkOf(new URL(url).hostname);
    // A public name may be made to lead inside later. Then it is refused.
    const isInside = this.#network === 'private';
    const send = <T>(work: () => Promise<T>) => (isInside ? work() : onlyPublic(work));
    const answers = await Promise.all(requests.map((request) => send(() => answerOf(request, headers, until))));
    return this.#entities(answers, question);
  }

  /** The error names the setting, never the value. */
  async #credentials(): Promise<Readonly<Record<string, string>>> {
    const { name, token } = this.setting;
    if (token === undefined) return {};
    const value = await this.#fillIn(token);
    if (HEADER_TEXT.test(value)) return { Authorization: `Bearer ${value}` };
    const message = `The token of the peer '${name}', ${token}, is empty or has characters that a header cannot have.`;
    const hint = 'Use the characters of a key: no spaces and no line breaks.';
    throw new DowserError('INVALID_SETTING', message, { field: 'peers', hint });
  }

  /** What is no entity is left out: others of the same answer may be. Throws for an answer without a list. */
  #entities(answers: readonly unknown[], { types }: PeerQuestion): readonly PeerEntity[] {
    const { name, url, kind } = this.setting;
    const { list, reader } = PEER_KINDS[kind];
    const found = new Map<EntityId, PeerEntity>();
    let toolsLeft = MAX_TOOLS_OF_PEER;
    for (const answer of answers) {
      const results = isJsonObject(answer) ? answer[list] : undefined;
      if (!Array.isArray(results)) throw new DowserError('SOURCE_UNREACHABLE', `Its answer has no list '${list}'.`);
      const read = reader(answer as JsonObject);
      for (const result of results.slice(0, MAX_OF_PEER)) {
        try {
          const said = read(result);
          if (said === null) continue;
          const entity = peerEntity(name, said.fields, types, toolsLeft);
          const id = idOf(entity.entity);
          if (found.has(id)) continue;
          if (entity.entity.type === 'mcp_server') toolsLeft -= entity.entity.tools?.length ?? 0;
          found.set(id, { entity, origin: { peer: name, url }, claimed: said.claimed });
        } catch {}
      }
    }
    return [...found.values()].slice(0, MAX_OF_PEER);
  }
}

/** Rejects at the end, so that nothing is waited for after it. */
export const ended = (until: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (until.aborted) reject(until.reason);
    until.addEventListener('abort', () => reject(until.reason), { once: true });
  });

/** Each reads what the network has ready. A whole answer takes a few. */
const LAST_READS = 10;

/** The same, once what has come is read: a peer that answered in time is not late because this process was busy. */
async function endedUnread(until: AbortSignal): Promise<never> {
  await ended(until).catch(() => {});
  for (let read = 0; read < LAST_READS; read++) await new Promise((resolve) => setImmediate(resolve));
  throw until.reason;
}

/** A redirect is not followed: neither the query nor the token goes anywhere else. */
async function answerOf(
  { url, body }: PeerRequest,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await sourceFetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      Accept: 'application/json',
      'User-Agent': 'dowser',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    redirect: 'manual',
    signal,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new DowserError('SOURCE_UNREACHABLE', `It answers with status ${response.status}.`);
  }
  const text = await boundedBody(response, MAX_BYTES)
    .text()
    .catch((thrown: unknown) => {
      if (thrown instanceof DowserError && thrown.code === 'BODY_TOO_LARGE')
        throw new DowserError('BODY_TOO_LARGE', `Its answer is larger than ${MAX_BYTES} bytes.`);
      throw thrown;
    });
  return parseJson(text, 'answer');
}

/** Only texts of this program: those of libraries may repeat what the peer said, or what was sent to it. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof DowserError) return thrown.message;
  const reason = networkReason(thrown);
  return /^[A-Z][A-Z0-9_]{2,40}$/.test(reason) ? `It cannot be reached (${reason}).` : 'It cannot be asked.';
}
