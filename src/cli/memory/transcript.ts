import type { Turn } from '../../model/entity-types/memory.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';

/** Around what a session was reminded of, so that it is known again. */
export const RECALLED = { open: '<dowser-memories>', close: '</dowser-memories>' } as const;

/** What clients and Dowser put among the words of the user. */
const BLOCKS: readonly (readonly [open: string, close: string])[] = [
  [RECALLED.open, RECALLED.close],
  ['<system-reminder>', '</system-reminder>'],
  ['<session-start-hook>', '</session-start-hook>'],
  ['<local-command-stdout>', '</local-command-stdout>'],
  ['<environment_context>', '</environment_context>'],
  ['<user_instructions>', '</user_instructions>'],
];

/** What is read of a turn: files may be pasted into it. */
const MAX_READ_CHARS = 50_000;
const MAX_TURN_CHARS = 4000;
/** The last turns of a long session. */
const MAX_SESSION_CHARS = 60_000;
const MAX_TURNS = 400;

/**
 * What was said in a session, from the transcript of a client: lines of JSON, or one document with `messages`. Only words of the user and of
 * the model, without what tools returned, and without what was recalled.
 */
export function turnsIn(transcript: string, recalled: readonly string[]): readonly Turn[] {
  const known = recalled.map(plain).filter((text) => text !== '');
  const turns: Turn[] = [];
  for (const line of messagesIn(transcript)) {
    const message = asMessage(line);
    const role = roleOf(message);
    if (role === undefined) continue;
    const content = withoutRecalled(withoutBlocks(textOf(message).slice(0, MAX_READ_CHARS)), known)
      .slice(0, MAX_TURN_CHARS)
      .trim();
    if (content !== '') turns.push({ role, content });
  }
  let chars = 0;
  const kept: Turn[] = [];
  for (const turn of turns.toReversed()) {
    chars += turn.content.length;
    if (chars > MAX_SESSION_CHARS || kept.length >= MAX_TURNS) break;
    kept.unshift(turn);
  }
  return kept;
}

function messagesIn(transcript: string): readonly JsonObject[] {
  const whole = parsed(transcript);
  if (isJsonObject(whole) && Array.isArray(whole.messages)) return whole.messages.filter(isJsonObject);
  return transcript.split('\n').flatMap((line) => {
    const message = parsed(line);
    return isJsonObject(message) ? [message] : [];
  });
}

/** Undefined for what is no JSON: the last line of a session that was killed may be half of one. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Codex wraps each message of the user and of the model in an item. What a client says by itself has another role. */
function asMessage(line: JsonObject): JsonObject {
  const { type, payload } = line;
  if (type !== 'response_item' || !isJsonObject(payload) || payload.type !== 'message') return line;
  return { type: payload.role, content: payload.content };
}

/** Undefined for what neither the user nor the model said. */
function roleOf({ type, isMeta, isSidechain }: JsonObject): 'user' | 'assistant' | undefined {
  if (isMeta === true || isSidechain === true) return undefined;
  if (type === 'user') return 'user';
  return type === 'assistant' || type === 'gemini' ? 'assistant' : undefined;
}

const TEXT_PARTS: readonly unknown[] = ['text', 'input_text', 'output_text'];

function textOf({ message, content }: JsonObject): string {
  const said = isJsonObject(message) ? message.content : content;
  if (typeof said === 'string') return said;
  if (!Array.isArray(said)) return '';
  const texts = said.flatMap((part: unknown) => {
    const isText =
      isJsonObject(part) &&
      typeof part.text === 'string' &&
      (part.type === undefined || TEXT_PARTS.includes(part.type));
    return isText ? [part.text as string] : [];
  });
  return texts.join('\n');
}

/** A block without an end goes on to the end of the text. */
function withoutBlocks(text: string): string {
  let left = text;
  for (const [open, close] of BLOCKS) {
    for (let at = left.indexOf(open); at >= 0; at = left.indexOf(open, at)) {
      const end = left.indexOf(close, at);
      left = left.slice(0, at) + (end < 0 ? '' : left.slice(end + close.length));
    }
  }
  return left;
}

/** Shorter lines than this say the same by chance. */
const MIN_REPEATED_CHARS = 20;
const plain = (text: string): string => text.split(/\s+/).join(' ').trim().toLowerCase();

/** Without the lines that repeat a recalled memory, or a part of one. */
function withoutRecalled(text: string, recalled: readonly string[]): string {
  if (recalled.length === 0) return text;
  const lines = text.split('\n').filter((line) => {
    const said = plain(line);
    return !recalled.some(
      (memory) => said.includes(memory) || (said.length >= MIN_REPEATED_CHARS && memory.includes(said)),
    );
  });
  return lines.join('\n');
}
