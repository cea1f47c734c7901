import type { Context } from 'hono';
import { wholeAnswer } from '../../documents/ask/ask.ts';
import type { AskRequestInput } from '../../documents/ask/ask-request.ts';
import { type AskCollectionParts, askCollection, parseQuestion } from '../../documents/ask-collection.ts';
import { checkBodyType, readJsonBody } from '../body/read-body.ts';
import type { Surface } from '../context/caller-surfaces.ts';
import { warnSteps } from '../context/warn-readers.ts';
import { eventStream } from './event-stream.ts';

/** Answers a question to a collection: events as they come, or one answer with `stream: false`. */
export async function answerChat(
  c: Context,
  parts: AskCollectionParts & Pick<Surface, 'warningsOf'>,
  body: Uint8Array,
): Promise<Response> {
  checkBodyType(c.req.raw, false);
  const request = parseQuestion((await readJsonBody(body)) as AskRequestInput);
  // A client that goes away ends the answer of the model too.
  const { signal } = c.req.raw;
  const events = warnSteps(parts, await askCollection(parts, c.req.param('name') ?? '', request, signal));
  return request.stream ? eventStream(events, signal) : c.json(await wholeAnswer(events));
}
