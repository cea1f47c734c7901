/**
 * Where each operation lives. Apart from the contract because the client needs this and nothing else of it: without
 * the schemas, a browser bundle stays small. `{name}` is one segment; `{name*}` is the whole rest of the path.
 */
export const ROUTES = {
  search: { method: 'POST', path: '/api/search/semantic' },
  getEntity: { method: 'GET', path: '/api/entities/{type}/{path*}' },
  putEntity: { method: 'PUT', path: '/api/entities/{type}/{path*}' },
  deleteEntity: { method: 'DELETE', path: '/api/entities/{type}/{path*}' },
  putEntities: { method: 'POST', path: '/api/entities:batch' },
  health: { method: 'GET', path: '/api/health' },
  openapi: { method: 'GET', path: '/openapi.json' },
} as const satisfies Record<string, Route>;

export interface Route {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: `/${string}`;
}

export type OperationName = keyof typeof ROUTES;
export const OPERATION_NAMES = Object.keys(ROUTES) as readonly OperationName[];
