import { z } from 'zod';
import type { Skill } from '../../model/entity.ts';
import { isManifest, needSkillFile, SKILL_MANIFEST } from '../../model/entity-parts/skill-files.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { stated } from '../../model/json/json-object.ts';
import { showValue } from '../../model/parse/parse.ts';
import { wholeNumber } from '../../model/query/query-fields.ts';
import { skillMd } from '../../model/skill-md.ts';
import { partWithin } from '../../model/text/token-count.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { defineTool } from '../catalog/mcp-tool.ts';
import { findEntity } from '../catalog/need-entity.ts';
import { isListed, skillAt } from '../catalog/skill-pages.ts';
import { instructionWarnings, maxTokensField, warningsField } from '../items/fields.ts';

/** Twice the size that the format recommends for a SKILL.md, so that most are complete. */
const DEFAULT_MAX_TOKENS = 10_000;

const input = z.strictObject({
  skill_name: z
    .string()
    .min(1, 'must not be empty')
    .max(600, 'must have at most 600 characters')
    .describe('The skill’s name, path or skill:// URI.'),
  resource_path: z.string().max(512).default(SKILL_MANIFEST).describe('A file of the skill.'),
  from_char: wholeNumber(0, 2_000_000).default(0).describe('`next_char` of the last part.'),
  max_tokens: maxTokensField.default(DEFAULT_MAX_TOKENS),
});

const output = z.object({
  skill_name: z.string(),
  path: z.string(),
  resource_path: z.string(),
  content: z.string(),
  encoding: z.string().exactOptional().describe('`base64` for a file that is no text.'),
  truncated: z.boolean().describe('There is more than this part.'),
  next_char: z.int().exactOptional().describe('Pass it as `from_char` to read on.'),
  files: z.array(z.string()).exactOptional().describe('Other files of the skill, for `resource_path`.'),
  source_url: z.string().exactOptional().describe('Where its other files are.'),
  warnings: warningsField,
});

export const getSkillContent = defineTool({
  name: 'get_skill_content',
  title: 'Read a skill',
  right: 'read',
  description: 'Read the SKILL.md of a registered skill: instructions to follow if they fit the task.',
  briefOutput: true,
  input,
  output,
  async run(catalog, { skill_name, resource_path, from_char, max_tokens }) {
    const skill = await skillNamed(catalog, skill_name);
    const source = skill.skill_md_raw_url ?? skill.skill_md_url ?? skill.repository;
    const isMain = isManifest(resource_path);
    const file = isMain ? null : needSkillFile(skill, resource_path, 'resource_path');
    const whole = file === null ? skillMd(skill) : file.content;
    const content = partWithin(whole.slice(from_char), max_tokens);
    const next = from_char + content.length;
    const files = skill.files?.map(({ path }) => path) ?? [];
    const structured = {
      skill_name: skill.name,
      path: skill.path,
      resource_path: file?.path ?? SKILL_MANIFEST,
      content,
      ...stated({ encoding: file?.encoding }),
      truncated: next < whole.length,
      ...(next < whole.length ? { next_char: next } : {}),
      ...(isMain && files.length > 0 ? { files } : {}),
      ...(source === undefined ? {} : { source_url: source }),
      warnings: [
        ...(isMain && skill.body === '' ? ['This skill was registered without its text.'] : []),
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
