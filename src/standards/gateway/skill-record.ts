import { z } from 'zod';
import type { Skill } from '../../model/entity.ts';
import type { Projection } from '../../model/parse/projection.ts';
import { type AssetFacts, assetFields, assetRecord, warnings } from './asset-record.ts';

export const skillRecordSchema = z.object({
  name: z.string(),
  skill_name: z.string(),
  ...assetFields,
  author: z.string().nullable(),
  compatibility: z.string().nullable(),
  target_agents: z.array(z.string()),
  allowed_tools: z.array(z.string()),
  skill_md_url: z.string().describe('Empty if only the text is stored.'),
  skill_md_raw_url: z.string().nullable(),
  registry_name: z.string().nullable(),
  homepage: z.string().nullable(),
  repository: z.string().nullable(),
  has_content: z.boolean().describe('Whether the text of the SKILL.md is stored.'),
  warnings: warnings.exactOptional(),
});
export type SkillRecord = z.output<typeof skillRecordSchema>;

export function skillRecord(skill: Skill, facts: AssetFacts, projection: Projection | null): SkillRecord {
  return assetRecord(skill, facts, projection, {
    name: skill.name,
    skill_name: skill.name,
    author: skill.author ?? null,
    compatibility: skill.compatibility ?? null,
    target_agents: skill.target_agents,
    allowed_tools: skill.allowed_tools,
    skill_md_url: skill.skill_md_url ?? '',
    skill_md_raw_url: skill.skill_md_raw_url ?? null,
    registry_name: skill.registry_name ?? null,
    homepage: skill.homepage ?? null,
    repository: skill.repository ?? null,
    has_content: skill.body !== '',
  });
}
