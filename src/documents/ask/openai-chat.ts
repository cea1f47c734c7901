import { endpointMessage } from '../../model/endpoint-message.ts';
import { DowserError } from '../../model/errors.ts';
import { trimEndChars } from '../../model/trim-chars.ts';
import type { ChatMessage, ChatModel } from './chat-model.ts';
import { completionText, deltaText } from './completion.ts';
import { eventData } from './event-stream.ts';

export interface OpenAiChatOptions {
  /** Without `/chat/completions`. */
  readonly url: string;
  readonly model: string;
  readonly key?: string | undefined;
  /** How long the endpoint may be silent, before its answer and within it. Default 60 s. */
  readonly timeoutMs?: number | undefined;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const HINTS: Readonly<Record<number, string>> = {
  401: 'Check DOWSER_CHAT_KEY.',
  403: 'Check DOWSER_CHAT_KEY and its permissions.',
  404: 'Check DOWSER_CHAT_URL and DOWSER_CHAT_MODEL.',
};
const NETWORK_HINT = 'Check DOWSER_CHAT_URL and the network.';

/** Any endpoint with `POST /chat/completions`. It may stream its answer or not. Errors never show the key. */
export function openOpenAiChat(options: OpenAiChatOptions): ChatModel {
  const { key, model, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const address = new URL(`${trimEndChars(options.url, '/').replace(/\/chat\/completions$/, '')}/chat/completions`);
  const name = `The chat endpoint ${address.origin}${address.pathname}`;

  /** Some endpoints quote the key. */
  const withoutKey = (text: string) => (key === undefined || key === '' ? text : text.replaceAll(key, '***'));

  async function* answer(messages: readonly ChatMessage[], signal?: AbortSignal): AsyncGenerator<string> {
    const silence = new SilenceTimer(timeoutMs);
    try {
      const json = { 'content-type': 'application/json', accept: 'text/event-stream, application/json' };
      const response = await fetch(address, {
        method: 'POST',
        body: JSON.stringify({ model, messages, stream: true }),
        headers: key === undefined ? json : { ...json, authorization: `Bearer ${key}` },
        signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
      });
      silence.restart();
      if (!response.ok) throw refusal(response.status, withoutKey(await response.text()));
      if (!(response.headers.get('content-type') ?? '').includes('text/event-stream')) {
        yield completionText(withoutKey(await response.text()));
        return;
      }
      yield* streamedText(watched(response, silence), withoutKey);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof DowserError) throw error;
      throw unavailable(
        silence.signal.aborted ? `was silent for ${timeoutMs / 1000} s` : `broke off: ${reasonOf(error)}`,
        error,
      );
    } finally {
      silence.stop();
    }
  }

  function refusal(status: number, body: string): DowserError {
    const said = endpointMessage(body);
    const isTemporary = status === 408 || status === 429 || status >= 500;
    const message = `${name} answers ${status}${said === '' ? '' : `: ${said}`}.`;
    return new DowserError(isTemporary ? 'CHAT_UNAVAILABLE' : 'CHAT_REJECTED', message, { hint: HINTS[status] });
  }

  const unavailable = (what: string, cause: unknown) =>
    new DowserError('CHAT_UNAVAILABLE', `${name} ${what}.`, { hint: NETWORK_HINT, cause });

  return { name: model, answer };
}

/** Until the event that ends an answer. A stream that stops before it has broken off. */
async function* streamedText(
  chunks: AsyncIterable<Uint8Array>,
  withoutKey: (text: string) => string,
): AsyncGenerator<string> {
  let isComplete = false;
  for await (const data of eventData(chunks)) {
    if (data === '[DONE]') return;
    const delta = deltaText(withoutKey(data));
    if (delta.text !== '') yield delta.text;
    isComplete ||= delta.isLast;
  }
  if (!isComplete) throw new Error('the answer has no end');
}

async function* watched(response: Response, silence: SilenceTimer): AsyncGenerator<Uint8Array> {
  for await (const chunk of response.body ?? []) {
    silence.restart();
    yield chunk;
  }
}

class SilenceTimer {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    this.#timer = setTimeout(() => this.#controller.abort(), timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Runtimes put the reason of a failed request in nested causes. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error instanceof Error ? error.message : String(error);
}
