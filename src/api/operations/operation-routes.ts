import type { Route } from '../routes.ts';

/**
 * The routes of the MCP gateway registry, by type. Routes with a fixed last segment come before those with the rest of the
 * path. An entity whose own path ends like a route is still found, unless the shorter path is registered too. A
 * percent-encoded path is never ambiguous.
 */
export const SERVER_ROUTES = {
  registerServer: { method: 'POST', path: '/api/servers/register' },
  toggleServer: { method: 'POST', path: '/api/servers/toggle' },
  removeServer: { method: 'POST', path: '/api/servers/remove' },
  checkServerDuplicates: { method: 'POST', path: '/api/servers/check-duplicates' },
  listMcpServers: { method: 'GET', path: '/api/servers' },
  listServerTools: { method: 'GET', path: '/api/servers/{path*}/tools' },
  rateServer: { method: 'POST', path: '/api/servers/{path*}/rate' },
  getServerRating: { method: 'GET', path: '/api/servers/{path*}/rating' },
  getServer: { method: 'GET', path: '/api/servers/{path*}' },
  putServer: { method: 'PUT', path: '/api/servers/{path*}' },
  patchServer: { method: 'PATCH', path: '/api/servers/{path*}' },
  deleteServer: { method: 'DELETE', path: '/api/servers/{path*}' },
} as const satisfies Record<string, Route>;

export const AGENT_ROUTES = {
  registerAgent: { method: 'POST', path: '/api/agents/register' },
  checkAgentDuplicates: { method: 'POST', path: '/api/agents/check-duplicates' },
  discoverAgents: { method: 'POST', path: '/api/agents/discover' },
  discoverAgentsByMeaning: { method: 'POST', path: '/api/agents/discover/semantic' },
  listAgents: { method: 'GET', path: '/api/agents' },
  toggleAgent: { method: 'POST', path: '/api/agents/{path*}/toggle' },
  rateAgent: { method: 'POST', path: '/api/agents/{path*}/rate' },
  getAgentRating: { method: 'GET', path: '/api/agents/{path*}/rating' },
  getAgent: { method: 'GET', path: '/api/agents/{path*}' },
  putAgent: { method: 'PUT', path: '/api/agents/{path*}' },
  patchAgent: { method: 'PATCH', path: '/api/agents/{path*}' },
  deleteAgent: { method: 'DELETE', path: '/api/agents/{path*}' },
} as const satisfies Record<string, Route>;

export const EMBEDDING_ROUTES = {
  missingVectors: { method: 'GET', path: '/api/admin/embeddings/missing' },
  staleVectors: { method: 'GET', path: '/api/admin/embeddings/stale' },
  cleanUpStaleVectors: { method: 'POST', path: '/api/admin/embeddings/stale/cleanup' },
  reindex: { method: 'POST', path: '/api/admin/embeddings/reindex' },
} as const satisfies Record<string, Route>;

export const SKILL_ROUTES = {
  registerSkill: { method: 'POST', path: '/api/skills' },
  parseSkillMd: { method: 'POST', path: '/api/skills/parse-skill-md' },
  checkSkillDuplicates: { method: 'POST', path: '/api/skills/check-duplicates' },
  searchSkills: { method: 'GET', path: '/api/skills/search' },
  listSkills: { method: 'GET', path: '/api/skills' },
  getSkillContent: { method: 'GET', path: '/api/skills/{path*}/content' },
  toggleSkill: { method: 'POST', path: '/api/skills/{path*}/toggle' },
  rateSkill: { method: 'POST', path: '/api/skills/{path*}/rate' },
  getSkillRating: { method: 'GET', path: '/api/skills/{path*}/rating' },
  getSkill: { method: 'GET', path: '/api/skills/{path*}' },
  putSkill: { method: 'PUT', path: '/api/skills/{path*}' },
  patchSkill: { method: 'PATCH', path: '/api/skills/{path*}' },
  deleteSkill: { method: 'DELETE', path: '/api/skills/{path*}' },
} as const satisfies Record<string, Route>;

export const VIRTUAL_SERVER_ROUTES = {
  createVirtualServer: { method: 'POST', path: '/api/virtual-servers' },
  listVirtualServers: { method: 'GET', path: '/api/virtual-servers' },
  listVirtualServerTools: { method: 'GET', path: '/api/virtual-servers/{path*}/tools' },
  toggleVirtualServer: { method: 'POST', path: '/api/virtual-servers/{path*}/toggle' },
  rateVirtualServer: { method: 'POST', path: '/api/virtual-servers/{path*}/rate' },
  getVirtualServerRating: { method: 'GET', path: '/api/virtual-servers/{path*}/rating' },
  getVirtualServer: { method: 'GET', path: '/api/virtual-servers/{path*}' },
  putVirtualServer: { method: 'PUT', path: '/api/virtual-servers/{path*}' },
  patchVirtualServer: { method: 'PATCH', path: '/api/virtual-servers/{path*}' },
  deleteVirtualServer: { method: 'DELETE', path: '/api/virtual-servers/{path*}' },
  listToolCatalog: { method: 'GET', path: '/api/tool-catalog' },
} as const satisfies Record<string, Route>;
