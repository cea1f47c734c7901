import type { Context } from 'hono';
import { answerTag, isCurrent } from '../../api/wire/if-match.ts';
import { answerHash, toJson } from './remembered-records.ts';
import type { Reply } from './reply.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' } as const;

/** Sends an answer, or 304 without a body if `If-None-Match` says that the reader has this answer. */
export function sendReply(c: Context, { status, body, headers }: Reply): Response {
  for (const header in headers) c.header(header, headers[header]!);
  const isText = typeof body === 'string' || body === undefined;
  const text = isText ? body : toJson(body);
  const isRead = (c.req.method === 'GET' || c.req.method === 'HEAD') && status === 200;
  if (isRead && headers?.ETag !== undefined) {
    const etag = tagOf(headers.ETag, body, text);
    c.header('ETag', etag);
    if (isCurrent(etag, c.req.header('if-none-match'))) return c.body(null, 304);
  }
  if (text === undefined) return c.body(null, status as 204);
  return isText ? c.body(text, status as 200) : sendJson(c, text, status);
}

/** Sends a body that is JSON already. */
export const sendJson = (c: Context, json: string, status = 200): Response => c.body(json, status as 200, JSON_TYPE);

/** A weak tag is that of the entity. Ratings, warnings and counts of the answer change without it. */
function tagOf(etag: string, body: unknown, text: string | undefined): string {
  return etag.startsWith('W/') ? answerTag(etag, answerHash(body, text ?? '')) : etag;
}
