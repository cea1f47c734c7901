import type { Context } from 'hono';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import type { WebFile, WebFiles } from './web-files.ts';

/** Everything of the page comes from this server. No inline script, no inline style. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** The name of an asset has the hash of its content. */
const FOR_A_YEAR = 'public, max-age=31536000, immutable';
const ASSETS = 'assets/';

/** Answers `/` and `/ui/...`. Any address under `/ui/` that is no file is a page: the script reads it. */
export function serveWeb(files: WebFiles): (c: Context) => Response {
  return (c) => {
    const name = c.req.path.startsWith('/ui/') ? c.req.path.slice('/ui/'.length) : '';
    const file = files.get(name);
    if (file !== undefined) return sendFile(c, file, name.startsWith(ASSETS));
    if (name.startsWith(ASSETS)) {
      throw new DowserError('NOT_FOUND', `There is no file ${showValue(c.req.path)}.`, { hint: 'Reload the page.' });
    }
    return sendFile(c, files.get('index.html')!, false);
  };
}

function sendFile(c: Context, { type, bytes, gzipped }: WebFile, isAsset: boolean): Response {
  const takesGzip = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
  c.header('Content-Type', type);
  c.header('Content-Security-Policy', PAGE_POLICY);
  c.header('Vary', 'Accept-Encoding');
  if (isAsset) c.header('Cache-Control', FOR_A_YEAR);
  if (takesGzip) c.header('Content-Encoding', 'gzip');
  return c.body(takesGzip ? gzipped : bytes);
}
