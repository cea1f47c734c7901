import { z } from 'zod';
import { flattenMetadata, tellingMetadata } from '../text/metadata-text.ts';
import { type EntityTypeDescriptor, PLAIN } from './descriptor.ts';
import { hitScores, jsonObject, nonEmpty, sharedFields, strings, text } from './fields.ts';
import { cardOf, introOf, labeled, partLines, partUnits } from './make-units.ts';
import { toolTexts } from './tool-texts.ts';

const agentSkillSchema = z.object({
  id: text(512).default(''),
  name: nonEmpty(512),
  description: text(100_000).default(''),
  tags: strings(100),
  examples: strings(100),
});

const schema = z.object({
  type: z.literal('a2a_agent'),
  ...sharedFields,
  url: text(2048).optional(),
  provider: text(256).optional(),
  protocol_version: text(32).optional(),
  capabilities: jsonObject.default({}),
  skills: z.array(agentSkillSchema).max(500).default([]),
  trust_level: text(64).optional(),
  /** The published card in the format of A2A 1.0, with more than the fields above. */
  card: jsonObject.optional(),
  /** The ARD entry of its publisher, without its document. */
  ard_entry: jsonObject.optional(),
});

const hit = z.object({ path: z.string(), ...hitScores, agent_card: jsonObject, trust_verified: z.string() });

export const a2aAgent = {
  ...PLAIN,
  schema,
  role: 'capability',
  words: ['agent', 'agents'],
  group: 'agents',
  hit,
  definitions: { list: 'skills', word: 'skill' },
  addresses: ({ url }) => [url],
  listWords: ({ skills }) => skills.map(({ name }) => name),
  texts: ({ skills }) => skills.flatMap((skill, at) => toolTexts(`skills.${at}`, skill)),
  units(agent) {
    const { metadata } = agent;
    const skills = partLines(agent.skills);
    const capabilities = labeled('Capabilities', Object.keys(agent.capabilities));
    const fields = {
      metadata: flattenMetadata(metadata),
      tools: skills,
      // Not with the metadata: the registry's boost counts that.
      body: capabilities,
    };
    const embed = [...introOf(agent), capabilities, skills, tellingMetadata(metadata)];
    return [
      cardOf(agent, fields, embed, [agent.url, agent.repository]),
      ...partUnits(agent, 'agent_skill', agent.skills),
    ];
  },
} as const satisfies EntityTypeDescriptor<z.output<typeof schema>>;
