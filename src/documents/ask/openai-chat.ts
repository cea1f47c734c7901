import { endpointMessage } from '../../model/errors/endpoint-message.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { trimEndChars } from '../../model/text/trim-chars.ts';
import type { ChatMessage, ChatModel } from './chat-model.ts';
import { eventData } from './event-stream.ts';

interface Choice {
  readonly delta?: { readonly content?: unknown } | null;
  readonly message?: { readonly content?: unknown } | null;
  readonly finish_reason?: unknown;
}

const unusable = (body: string) =>
  new DowserError('CHAT_REJECTED', `The chat endpoint sent no chat completion: ${body.slice(0, 80).trim()}.`, {
    hint: 'Check DOWSER_CHAT_URL.',
  });

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

/** The text of one event of a streamed answer. Throws CHAT_REJECTED for an error or anything that is no event. */
function deltaText(data: string): { text: string; isLast: boolean } {
  const choice = firstChoice(data);
  // Some endpoints send the usage of tokens in an event without choices.
  if (choice === undefined) return { text: '', isLast: false };
  const isLast = choice.finish_reason !== undefined && choice.finish_reason !== null;
  return { text: contentText(choice.delta?.content ?? choice.message?.content), isLast };
}

/** The text of an answer that came in one piece. Throws CHAT_REJECTED. */
function completionText(body: string): string {
  const choice = firstChoice(body);
  if (choice?.message === undefined) throw unusable(body);
  return contentText(choice.message?.content);
}

function firstChoice(json: string): Choice | undefined {
  let parsed: { choices?: unknown; error?: unknown } | null;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw unusable(json);
  }
  if (parsed?.error !== undefined && parsed.error !== null) {
    throw new DowserError('CHAT_REJECTED', `The chat endpoint reports an error: ${endpointMessage(json)}.`);
  }
  if (!Array.isArray(parsed?.choices)) throw unusable(json);
  return parsed.choices[0] as Choice | undefined;
}

/** Text, or a list of parts with text. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : '')).join('');
}
