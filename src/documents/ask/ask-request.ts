import { z } from 'zod';

/** Sources in one prompt. More of them make answers worse, not better. */
export const MAX_ASK_SOURCES = 10;
/** Of a conversation, the last messages that the model sees. */
const MAX_HISTORY = 10;
const MAX_QUESTION_CHARS = 4096;
const MAX_MESSAGE_CHARS = 20_000;

const message = z.object({
  role: z.enum(['user', 'assistant'], 'must be user or assistant'),
  content: z.string().max(MAX_MESSAGE_CHARS, `must have at most ${MAX_MESSAGE_CHARS} characters`),
});

/** A question to one collection, with the fields of IndexFoundry's servers. */
export const askRequestSchema = z.strictObject({
  question: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(MAX_QUESTION_CHARS, `must have at most ${MAX_QUESTION_CHARS} characters`),
  top_k: z
    .number()
    .default(MAX_ASK_SOURCES)
    .transform((count) => Math.min(MAX_ASK_SOURCES, Math.max(1, Math.round(count))))
    .describe(`How many sources, from 1 to ${MAX_ASK_SOURCES}; other numbers count as the nearest.`),
  system_prompt: z.string().max(MAX_MESSAGE_CHARS).optional().describe('Added to the instructions of the model.'),
  messages: z
    .array(message)
    .max(1000)
    .default([])
    .transform((messages) => messages.slice(-MAX_HISTORY))
    .describe(`The conversation so far. The last ${MAX_HISTORY} messages are used.`),
  conversation_id: z.string().max(200).optional().describe('Comes back with the answer. Nothing is stored under it.'),
  model: z.string().max(200).optional().describe('Ignored: the server uses the model of its settings.'),
  stream: z.boolean().default(true).describe('False: one JSON answer in place of events.'),
});
export type AskRequest = z.output<typeof askRequestSchema>;
/** A question to documents, with the conversation so far. */
export type AskRequestInput = z.input<typeof askRequestSchema>;
