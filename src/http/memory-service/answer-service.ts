import type { Context } from 'hono';
import { toDowserError, toErrorBody } from '../../model/errors/errors.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { checkBodyType, readBody } from '../body/read-body.ts';
import { sendReply } from '../body/send-reply.ts';
import type { Surface } from '../context/caller-surfaces.ts';
import { warnReaders } from '../context/warn-readers.ts';
import { formIn } from '../documents/form-in.ts';
import { type ServiceRequest, type ServiceRoute, TaggedAnswer } from './service-route.ts';

const WITH_BODY = ['POST', 'PUT', 'PATCH'];

export const hasBody = ({ refuses, method, takes }: ServiceRoute): boolean =>
  refuses !== true && (WITH_BODY.includes(method) || takes !== undefined);

async function bodyOf(c: Context, bytes: Uint8Array): Promise<unknown> {
  if (bytes.length === 0) return {};
  checkBodyType(c.req.raw, false);
  return readBody(bytes, c.req.header('content-type') ?? null, false);
}

/** Answers a route of the memory service. Its clients read `detail` of an error; ours read `error`. */
export async function answerService(
  c: Context,
  route: ServiceRoute,
  {
    memories,
    warningsOf,
    ...given
  }: Pick<Surface, 'memories' | 'warningsOf'> & Pick<ServiceRequest, 'tagOf' | 'relate' | 'follow' | 'reader'>,
  bytes: Uint8Array = new Uint8Array(),
): Promise<Response> {
  const started = performance.now();
  try {
    const form = route.takes === 'form' ? await formIn(c.req.header('content-type') ?? '', bytes) : undefined;
    const body = hasBody(route) && form === undefined ? await bodyOf(c, bytes) : undefined;
    const answer = await route.answer(memories, { ...toServiceRequest(c, body), ...given, form });
    if (answer instanceof Response) return answer;
    const { body: shown, headers } = answer instanceof TaggedAnswer ? answer : { body: answer, headers: {} };
    const reply = await warnReaders({ warningsOf }, { status: 200, body: shown, headers }, { isOurs: true });
    const isSearch = isJsonObject(reply.body) && 'search_type' in reply.body;
    const ms = Math.round((performance.now() - started) * 100) / 100;
    return sendReply(c, isSearch ? { ...reply, body: { ...(reply.body as object), processing_time_ms: ms } } : reply);
  } catch (thrown) {
    const error = toDowserError(thrown);
    if (error.code === 'INTERNAL') throw thrown;
    // For the log of requests and the audit log.
    c.set('facts', { ...c.get('facts'), code: error.code });
    const status = error.field === 'time_expr' ? 400 : error.httpStatus;
    return c.json({ detail: error.message, ...toErrorBody(error) }, status as 400);
  }
}

/** The body of a request without one is an empty object. */
function toServiceRequest(
  c: Context,
  body: unknown,
): Omit<ServiceRequest, 'tagOf' | 'relate' | 'follow' | 'form' | 'reader'> {
  return {
    params: c.req.param() as Readonly<Record<string, string>>,
    query: c.req.query(),
    // Some clients send a list of tags alone.
    body: isJsonObject(body) ? body : Array.isArray(body) ? { tags: body } : {},
    agent: c.req.header('x-agent-id')?.trim() || undefined,
    hostname: c.req.header('x-client-hostname')?.trim() || undefined,
  };
}
