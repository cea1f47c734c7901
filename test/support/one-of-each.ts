import type { EntityInput } from '../../src/model/entity.ts';

/** An entity of every type that has routes of its own. */
export const ONE_OF_EACH: readonly EntityInput[] = [
  { type: 'mcp_server', path: '/clock', name: 'Clock', url: 'https://clock.example.com' },
  { type: 'a2a_agent', path: '/agent', name: 'Agent', url: 'https://agent.example.com' },
  { type: 'skill', path: '/skills/zip', name: 'zip', description: 'Packs files.' },
  { type: 'virtual_server', path: '/virtual/dev', name: 'Dev' },
];
