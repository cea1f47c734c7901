import type { Context } from 'hono';
import type { WebSignIn } from '../../access/open-access.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import type { WebFile, WebFiles } from './web-files.ts';

/** Everything of the page comes from this server. No inline script, no inline style. */
const policyOf = (connect: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${connect}`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');

const PAGE_POLICY = policyOf("'self'");

/** Where the issuer sends people back to. Only this page gets tokens. */
const SIGNED_IN = '/ui/signed-in';

/** The page may ask the token endpoint too, and nothing else of the issuer. */
function policyWith(tokenEndpoint: string): string {
  const { origin, pathname } = new URL(tokenEndpoint);
  // They would end the source, or the directive.
  const path = pathname.replaceAll(';', '%3B').replaceAll(',', '%2C');
  return policyOf(`'self' ${origin}${path}`);
}

/** The name of an asset has the hash of its content. */
const FOR_A_YEAR = 'public, max-age=31536000, immutable';
const ASSETS = 'assets/';

/**
 * Answers `/` and `/ui/...`. Any address under `/ui/` that is no file is a page: the script reads it. `signIn`: how people
 * sign in with their account.
 */
export function serveWeb(files: WebFiles, signIn: WebSignIn | null): (c: Context) => Response | Promise<Response> {
  return (c) => {
    const name = c.req.path.startsWith('/ui/') ? c.req.path.slice('/ui/'.length) : '';
    const file = files.get(name);
    if (file !== undefined) return sendFile(c, file, { isAsset: name.startsWith(ASSETS) });
    if (name.startsWith(ASSETS)) {
      throw new DowserError('NOT_FOUND', `There is no file ${showValue(c.req.path)}.`, { hint: 'Reload the page.' });
    }
    const page = files.get('index.html')!;
    if (signIn === null || c.req.path !== SIGNED_IN) return sendFile(c, page);
    return signIn
      .endpoints(false)
      .then((found) => sendFile(c, page, found === null ? {} : { policy: policyWith(found.token_endpoint) }));
  };
}

interface HowToSend {
  readonly isAsset?: boolean;
  readonly policy?: string;
}

function sendFile(
  c: Context,
  { type, bytes, gzipped }: WebFile,
  { isAsset = false, policy = PAGE_POLICY }: HowToSend = {},
): Response {
  const takesGzip = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
  c.header('Content-Type', type);
  c.header('Content-Security-Policy', policy);
  c.header('Vary', 'Accept-Encoding');
  if (isAsset) c.header('Cache-Control', FOR_A_YEAR);
  if (takesGzip) c.header('Content-Encoding', 'gzip');
  return c.body(takesGzip ? gzipped : bytes);
}
