import { z } from 'zod';
import type { A2aAgent } from '../../model/entity.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { anyObject } from './asset-record.ts';

const changeSchema = z.object({
  field: z.string(),
  current_value: z.unknown().describe('In this registry.'),
  remote_value: z.unknown().describe('In the published card.'),
});

export const pulledCardSchema = z.object({
  agent_path: z.string(),
  dry_run: z.boolean(),
  remote_card_url: z.string(),
  changes: z.array(changeSchema),
  has_changes: z.boolean(),
  applied: z.boolean(),
  health_status: z.literal('healthy'),
  remote_card: anyObject,
});
type PulledCard = z.output<typeof pulledCardSchema>;

/** The fields of a card that the agent itself decides on. What the registry adds stays. */
const CARD_FIELDS = ['name', 'description', 'url', 'version', 'provider', 'protocol_version', 'capabilities', 'skills'];

export function cardChanges(stored: A2aAgent, remote: Readonly<Record<string, unknown>>): PulledCard['changes'] {
  const before = stored as unknown as Readonly<Record<string, unknown>>;
  return CARD_FIELDS.filter((field) => canonical(before[field]) !== canonical(remote[field])).map((field) => ({
    field,
    current_value: before[field] ?? null,
    remote_value: remote[field] ?? null,
  }));
}

/** Absent and empty are the same, and so is any order of keys. */
function canonical(value: unknown): string {
  if (value === undefined || value === null || value === '') return '';
  return JSON.stringify(value, (_, part: unknown) =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}
