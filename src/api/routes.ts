import {
  AGENT_ROUTES,
  EMBEDDING_ROUTES,
  SERVER_ROUTES,
  SKILL_ROUTES,
  VIRTUAL_SERVER_ROUTES,
} from './operations/operation-routes.ts';

/**
 * The method and path of each operation. Separate from the contract, so that a browser bundle of the client has no schemas.
 * `{name}` is one segment. `{name*}` is the rest of the path, up to a fixed ending if there is one.
 */
export const ROUTES = {
  search: { method: 'POST', path: '/api/search/semantic' },
  searchTools: { method: 'POST', path: '/api/search/tools' },
  searchTags: { method: 'GET', path: '/api/search/tags' },
  findSkills: { method: 'POST', path: '/api/search/skills' },
  findAgents: { method: 'POST', path: '/api/search/agents' },
  listEntities: { method: 'GET', path: '/api/entities' },
  addEntity: { method: 'POST', path: '/api/entities' },
  rateEntity: { method: 'POST', path: '/api/entities/{type}/{path*}/rate' },
  getEntityRating: { method: 'GET', path: '/api/entities/{type}/{path*}/rating' },
  getEntity: { method: 'GET', path: '/api/entities/{type}/{path*}' },
  putEntity: { method: 'PUT', path: '/api/entities/{type}/{path*}' },
  patchEntity: { method: 'PATCH', path: '/api/entities/{type}/{path*}' },
  deleteEntity: { method: 'DELETE', path: '/api/entities/{type}/{path*}' },
  putEntities: { method: 'POST', path: '/api/entities:batch' },
  registerEntity: { method: 'POST', path: '/api/entities:register' },
  queryEntities: { method: 'POST', path: '/api/entities:query' },
  findDuplicates: { method: 'POST', path: '/api/entities:duplicates' },
  observe: { method: 'POST', path: '/api/observations' },
  listSources: { method: 'GET', path: '/api/sources' },
  listDrift: { method: 'GET', path: '/api/drift' },
  acceptDrift: { method: 'DELETE', path: '/api/drift/{type}/{path*}' },
  ...SERVER_ROUTES,
  ...AGENT_ROUTES,
  ...SKILL_ROUTES,
  ...VIRTUAL_SERVER_ROUTES,
  ...EMBEDDING_ROUTES,
  health: { method: 'GET', path: '/api/health' },
  openapi: { method: 'GET', path: '/openapi.json' },
} as const satisfies Record<string, Route>;

export interface Route {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: `/${string}`;
}

export type OperationName = keyof typeof ROUTES;
export const OPERATION_NAMES = Object.keys(ROUTES) as readonly OperationName[];
