import { baseOf } from '../context/app-context.ts';
import { METADATA_ROUTES, resourceMetadata } from '../edge/resource-metadata.ts';
import { serveWeb } from '../web/serve-web.ts';
import { homePage } from './home-page.ts';
import type { RouteParts } from './route-parts.ts';

/** What anybody may read: how to sign in, and the web page. */
export function addPageRoutes({ options, route }: RouteParts): void {
  const { access, web = null } = options;
  if (access?.required === true && access.issuer !== null) {
    const { issuer } = access;
    for (const { resource, ...metadata } of METADATA_ROUTES) {
      route(metadata, (c) => c.json(resourceMetadata(baseOf(c, options), resource, issuer)));
    }
  }
  if (web === null) {
    route({ method: 'GET', path: '/' }, (c) => c.html(homePage(new URL(c.req.url).origin, options.version)));
    return;
  }
  const page = serveWeb(web, access?.required === true ? access.webSignIn : null);
  for (const path of ['/', '/ui/{page*}'] as const) route({ method: 'GET', path }, page);
}
