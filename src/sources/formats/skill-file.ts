import { parseEntity, type Skill } from '../../model/entity.ts';
import {
  HEAD_FIELDS,
  MAX_SKILL_COMPATIBILITY,
  MAX_SKILL_DESCRIPTION,
  MAX_SKILL_NAME,
  SKILL_NAME,
} from '../../model/entity-parts/skill-format.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject, stated } from '../../model/json/json-object.ts';
import { showValue } from '../../model/parse/parse.ts';
import { slugOf } from '../../model/text/slug.ts';
import type { ReadFields } from './a2a-card.ts';
import { readFrontMatter } from './front-matter.ts';

export interface ReadSkillMd {
  readonly entity: Skill;
  /** Where the file breaks the rules of SKILL.md, as sentences. The skill is registered all the same. */
  readonly warnings: readonly string[];
}

export interface ReadSkillOptions {
  /** Overrides `/skills/<name>`. */
  readonly path?: string;
  /** The default where the front matter has none. A text without front matter is then all body. */
  readonly name?: string;
  readonly description?: string;
}

/**
 * Reads the text of a SKILL.md (`skillMd` of the model writes one). Tolerant: a broken rule of the format is a warning. A
 * text without front matter, name or description is refused, because search could not find the skill.
 */
export function readSkillMd(text: string, options: ReadSkillOptions = {}): ReadSkillMd {
  const { fields, warnings } = readSkillFields(text, options);
  const parsed = parseEntity(fields);
  return { entity: parsed.entity as Skill, warnings: [...warnings, ...parsed.warnings] };
}

/** The same as unparsed fields, for callers that change them before the registry parses them. */
export function readSkillFields(text: string, options: ReadSkillOptions = {}): ReadFields {
  const complete = options.name !== undefined && options.description !== undefined;
  const matter = readFrontMatter(text) ?? (complete ? { fields: {}, body: text, warnings: [] } : null);
  if (matter === null) {
    throw new DowserError('INVALID_FILE', 'The skill file has no front matter.', {
      field: 'content',
      hint: 'Begin the file with a line ---, then name: and description:, then a line ---.',
    });
  }
  const { fields, body } = matter;
  const warnings = [...matter.warnings];
  const name = required(fields, 'name', options, matter.warnings);
  const description = required(fields, 'description', options, matter.warnings);
  if (name.length > MAX_SKILL_NAME)
    warnings.push(`'name' has ${name.length} characters; the limit is ${MAX_SKILL_NAME}.`);
  if (!SKILL_NAME.test(name)) {
    warnings.push(`'name' is ${showValue(name)}; use lowercase letters, digits and single hyphens.`);
  }
  if (description.length > MAX_SKILL_DESCRIPTION) {
    warnings.push(`'description' has ${description.length} characters; the limit is ${MAX_SKILL_DESCRIPTION}.`);
  }
  const metadata = metadataOf(fields, warnings);
  const { author, version, tags, ...others } = metadata;
  const extra = Object.entries(fields).filter(([key, value]) => !HEAD_FIELDS.has(key) && value !== null);
  const given = stated({
    type: 'skill',
    path: options.path ?? pathFor(name),
    name,
    description,
    license: words(fields.license),
    compatibility: compatibilityOf(fields, warnings),
    allowed_tools: listOf(fields['allowed-tools'], byTool),
    tags: listOf(fields.tags ?? tags, byComma),
    version: words(fields.version ?? version),
    author: words(fields.author ?? author),
    metadata: { ...others, ...Object.fromEntries(extra) },
    body,
  });
  return { fields: given, warnings };
}

function required(
  fields: JsonObject,
  field: 'name' | 'description',
  options: ReadSkillOptions,
  problems: readonly string[],
): string {
  for (const value of [words(fields[field]), options[field]]) {
    if (value !== undefined && value.trim() !== '') return value.trim();
  }
  const why = problems.length === 0 ? '' : ` ${problems.join(' ')}`;
  throw new DowserError('INVALID_FILE', `The skill file has no '${field}' in its front matter.${why}`, {
    field,
    hint: `Add a line '${field}: ...' between the two lines ---.`,
  });
}

/** YAML reads `version: 1.0` as a number and `author: yes` as a boolean; both are strings here. */
function words(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** A list of strings, or a string split by `cut`. */
function listOf(value: unknown, cut: (text: string) => readonly string[]): readonly string[] {
  const items = Array.isArray(value) ? value.map(words) : cut(words(value) ?? '');
  return items.map((item) => item?.trim() ?? '').filter((item) => item !== '');
}

const byComma = (text: string): readonly string[] => text.split(',');

/** Spaces and commas separate tools, except inside parentheses: `Bash(git add:*) Read` names two. */
function byTool(text: string): readonly string[] {
  const names: string[] = [''];
  let depth = 0;
  for (const char of text) {
    if (char === '(') depth++;
    if (char === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && /[\s,]/.test(char)) names.push('');
    else names[names.length - 1] += char;
  }
  return names;
}

function metadataOf(fields: JsonObject, warnings: string[]): JsonObject {
  const { metadata } = fields;
  if (metadata === undefined || metadata === null) return {};
  if (isJsonObject(metadata)) return metadata;
  warnings.push(`'metadata' is ${showValue(metadata)}, not an object, and was dropped.`);
  return {};
}

function compatibilityOf(fields: JsonObject, warnings: string[]): string | undefined {
  const text = words(fields.compatibility);
  if (text === undefined || text.length <= MAX_SKILL_COMPATIBILITY) return text;
  warnings.push(`'compatibility' has ${text.length} characters; the first ${MAX_SKILL_COMPATIBILITY} were kept.`);
  return text.slice(0, MAX_SKILL_COMPATIBILITY);
}

function pathFor(name: string): string {
  const slug = slugOf(name);
  if (slug !== '') return `/skills/${slug}`;
  throw new DowserError('INVALID_FILE', `Cannot derive a path from the skill's name ${showValue(name)}.`, {
    field: 'name',
    hint: 'Use letters and digits in the name.',
  });
}
