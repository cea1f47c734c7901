import { z } from 'zod';
import type { Skill } from '../../model/entity.ts';
import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';
import { skillMd } from '../../model/skill-md.ts';
import type { Catalog } from '../catalog.ts';
import { findEntity } from '../need-entity.ts';
import { isListed, skillAt } from '../skill-pages.ts';
import { cutToTokens } from '../token-count.ts';
import { instructionWarnings, maxTokensField, warningsField } from './fields.ts';
import { defineTool } from './mcp-tool.ts';

const MANIFEST = 'SKILL.md';
/** Twice the size that the format recommends for a SKILL.md, so that most are complete. */
const DEFAULT_MAX_TOKENS = 10_000;

const input = z.strictObject({
  skill_name: z
    .string()
    .min(1, 'must not be empty')
    .max(600, 'must have at most 600 characters')
    .describe('The skill’s name, path or skill:// URI.'),
  resource_path: z
    .string()
    .max(512)
    .default(MANIFEST)
    .describe('A file of the skill. The registry stores only its SKILL.md.'),
  max_tokens: maxTokensField.default(DEFAULT_MAX_TOKENS),
});

const output = z.object({
  skill_name: z.string(),
  path: z.string(),
  resource_path: z.string(),
  content: z.string(),
  truncated: z.boolean().describe('The end was cut to fit max_tokens.'),
  source_url: z.string().exactOptional().describe('Where its other files are.'),
  warnings: warningsField,
});

export const getSkillContent = defineTool({
  name: 'get_skill_content',
  title: 'Read a skill',
  right: 'read',
  description: 'Read the SKILL.md of a registered skill: instructions to follow if they fit the task.',
  input,
  output,
  async run(catalog, { skill_name, resource_path, max_tokens }) {
    const skill = await skillNamed(catalog, skill_name);
    const source = skill.skill_md_raw_url ?? skill.skill_md_url ?? skill.repository;
    if (resource_path !== '' && resource_path.replace(/^\.?\//, '') !== MANIFEST) {
      throw new DowserError('NOT_FOUND', `The skill '${skill.name}' has no file ${showValue(resource_path)} here.`, {
        field: 'resource_path',
        hint:
          source === undefined
            ? `The registry stores only its ${MANIFEST}.`
            : `The registry stores only its ${MANIFEST}; the rest is at ${source}.`,
      });
    }
    const whole = skillMd(skill);
    const content = cutToTokens(whole, max_tokens);
    const structured = {
      skill_name: skill.name,
      path: skill.path,
      resource_path: MANIFEST,
      content,
      truncated: content !== whole,
      ...(source === undefined ? {} : { source_url: source }),
      warnings: [
        ...(skill.body === '' ? ['This skill was registered without its text.'] : []),
        ...instructionWarnings(skill.path, skill.description),
      ],
    };
    return { structured, text: content };
  },
});

/** A skill by path, URI or name. If several share the name, the best match is used. */
async function skillNamed(catalog: Catalog, name: string): Promise<Skill> {
  const byUri = await skillAt(catalog, name);
  if (byUri !== null) return byUri;
  for (const path of [name, `/skills/${name}`]) {
    const entity = await findEntity(catalog, ['skill'], path);
    if (entity !== null && isListed(entity)) return entity;
  }
  const text = name.replaceAll('#', ' ').trim().slice(0, 512);
  const { skills } =
    text === '' ? { skills: [] } : await catalog.search({ query: text, entity_types: ['skill'], max_results: 50 });
  const hit = skills.find(({ skill_name }) => skill_name.toLowerCase() === name.toLowerCase());
  const entity = hit === undefined ? null : await findEntity(catalog, ['skill'], hit.path);
  if (entity?.type === 'skill') return entity;
  throw new DowserError('NOT_FOUND', `There is no skill ${showValue(name)}.`, {
    field: 'skill_name',
    hint: 'See list_skills for names and paths.',
  });
}
