import { z } from 'zod';
import { agentCard } from '../../model/agent-card.ts';
import type { A2aAgent } from '../../model/entity.ts';
import type { Projection } from '../../model/parse/projection.ts';
import { type AssetFacts, anyObject, assetFields, assetRecord, warnings } from './asset-record.ts';

const sharedFields = {
  name: z.string(),
  ...assetFields,
  version: z.string().describe('Empty without a version.'),
  url: z.string().describe('Empty without an address.'),
  protocol_version: z.string(),
  capabilities: anyObject,
  num_skills: z.int(),
  numStars: z.number().describe('The same as `num_stars`.'),
  trust_level: z.string().describe('`unverified` without a trust level.'),
  warnings: warnings.exactOptional(),
};

/** One agent: its card in the format of A2A 1.0, with the fields of the registry. */
export const agentRecordSchema = z.looseObject({
  ...sharedFields,
  provider: z.looseObject({ organization: z.string(), url: z.string() }).nullable(),
  skills: z.array(z.looseObject({ id: z.string(), name: z.string(), description: z.string() })),
});
export type AgentRecord = z.output<typeof agentRecordSchema>;

/** An agent in a list: skills by name, the provider as text. */
export const agentListItemSchema = z.object({
  ...sharedFields,
  provider: z.string().nullable(),
  skills: z.array(z.string()),
  streaming: z.boolean().describe('Whether the card says that the agent streams answers.'),
});
export type AgentListItem = z.output<typeof agentListItemSchema>;

function ownFields(agent: A2aAgent, { num_stars }: AssetFacts) {
  const { url, version, protocol_version, trust_level } = agentCard(agent);
  return {
    name: agent.name,
    version,
    url,
    protocol_version,
    capabilities: agent.capabilities,
    num_skills: agent.skills.length,
    numStars: num_stars,
    trust_level,
  };
}

export function agentRecord(agent: A2aAgent, facts: AssetFacts, projection: Projection | null): AgentRecord {
  const card = agentCard(agent);
  const skills = card.skills as AgentRecord['skills'];
  const record = assetRecord(agent, facts, projection, ownFields(agent, facts));
  return { ...card, ...record, provider: card.provider, skills };
}

export function agentListItem(agent: A2aAgent, facts: AssetFacts, projection: Projection | null): AgentListItem {
  return assetRecord(agent, facts, projection, {
    ...ownFields(agent, facts),
    provider: agentCard(agent).provider?.organization ?? null,
    skills: agent.skills.map(({ name }) => name),
    streaming: agent.capabilities.streaming === true,
  });
}
