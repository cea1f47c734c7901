import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { answerTag, isCurrent } from '../api/if-match.ts';
import type { Reply } from './reply.ts';

const READS: readonly string[] = ['GET', 'HEAD'];

/** Sends an answer, or 304 without a body if `If-None-Match` says that the reader has this answer. */
export function sendReply(c: Context, { status, body, headers = {} }: Reply): Response {
  for (const [header, value] of Object.entries(headers)) c.header(header, value);
  const etag = READS.includes(c.req.method) && status === 200 ? tagOf(headers.ETag, body) : undefined;
  if (etag !== undefined) {
    c.header('ETag', etag);
    if (isCurrent(etag, c.req.header('if-none-match'))) return c.body(null, 304);
  }
  if (body === undefined) return c.body(null, status as 204);
  if (typeof body === 'string') return c.body(body, status as 200);
  return c.json(body as Record<string, unknown>, status as 200);
}

/** A weak tag is that of the entity. Ratings, warnings and counts of the answer change without it. */
function tagOf(etag: string | undefined, body: unknown): string | undefined {
  if (!etag?.startsWith('W/')) return etag;
  return answerTag(etag, createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22));
}
