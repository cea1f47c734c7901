import { endpointMessage } from '../../model/endpoint-message.ts';
import { DowserError } from '../../model/errors.ts';

interface Choice {
  readonly delta?: { readonly content?: unknown } | null;
  readonly message?: { readonly content?: unknown } | null;
  readonly finish_reason?: unknown;
}

/** The text of one event of a streamed answer. Throws CHAT_REJECTED for an error or anything that is no event. */
export function deltaText(data: string): { text: string; isLast: boolean } {
  const choice = firstChoice(data);
  // Some endpoints send the usage of tokens in an event without choices.
  if (choice === undefined) return { text: '', isLast: false };
  const isLast = choice.finish_reason !== undefined && choice.finish_reason !== null;
  return { text: contentText(choice.delta?.content ?? choice.message?.content), isLast };
}

/** The text of an answer that came in one piece. Throws CHAT_REJECTED. */
export function completionText(body: string): string {
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

const unusable = (body: string) =>
  new DowserError('CHAT_REJECTED', `The chat endpoint sent no chat completion: ${body.slice(0, 80).trim()}.`, {
    hint: 'Check DOWSER_CHAT_URL.',
  });
