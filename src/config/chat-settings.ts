import { z } from 'zod';
import type { SettingDefinitions } from './setting-definition.ts';
import { whole, word } from './setting-values.ts';

/** The model that answers questions to documents in words. */
export const CHAT_SETTINGS = {
  chat_url: {
    schema: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
    env: ['DOWSER_CHAT_URL'],
    meaning:
      'The address of a chat endpoint with the API of OpenAI, such as `http://127.0.0.1:11434/v1`. Without it, questions about documents are answered with sources only.',
  },
  chat_model: {
    schema: word.optional(),
    env: ['DOWSER_CHAT_MODEL'],
    meaning: 'The model of the chat endpoint. Needed with `chat_url`.',
  },
  chat_key: {
    schema: word.optional(),
    env: ['DOWSER_CHAT_KEY'],
    meaning: 'The key of the chat endpoint. Never printed or logged.',
    secret: true,
  },
  chat_timeout_ms: {
    schema: whole(100, 3_600_000).default(60_000),
    env: ['DOWSER_CHAT_TIMEOUT_MS'],
    meaning: 'How long the chat endpoint may be silent, before and within an answer, in milliseconds.',
  },
} as const satisfies SettingDefinitions;
