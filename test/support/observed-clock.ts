import type { ObservationInput } from '../../src/registry/contract/observation.ts';

export const SOURCE = { kind: 'mcp', locator: { command: 'clock' } };
/** A server as its source describes it. */
export const clock = (over: Record<string, unknown> = {}) => ({
  type: 'mcp_server',
  path: '/clock',
  name: 'Clock',
  tools: [{ name: 'now', description: 'The time', annotations: { readOnlyHint: true } }],
  ...over,
});
/** A reading of the source that found one entity. */
export const of = (entity: Record<string, unknown>, over: Partial<ObservationInput> = {}): ObservationInput => ({
  source: SOURCE,
  live: true,
  entities: [{ entity }],
  ...over,
});
