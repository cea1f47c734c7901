import { parseEntity } from '../../src/model/entity.ts';
import type { Discoverable } from '../../src/standards/ard/ard-types.ts';

/** An entity with its dates, as a registry hands it to the writers of ARD entries. */
export const ardRecord = (input: Record<string, unknown>) => ({
  entity: parseEntity(input).entity as Discoverable,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-03-01T00:00:00.000Z',
});

export const CLOCK = {
  type: 'mcp_server',
  path: '/clock',
  name: 'World Clock',
  tags: ['Time', 'zones'],
  version: '2.0.0',
  tools: [
    { name: 'now', examples: ['what time is it'] },
    { name: 'convert', examples: ['9 am in Tokyo', ' '] },
  ],
};
