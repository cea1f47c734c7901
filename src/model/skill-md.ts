import type { Skill } from './entity.ts';
import { HEAD_FIELDS, isSkillName, MAX_SKILL_DESCRIPTION, MAX_SKILL_NAME } from './entity-parts/skill-format.ts';
import { trimChars } from './text/trim-chars.ts';

/** The name of a skill in the format of a SKILL.md. */
export function skillName({ name, path }: Pick<Skill, 'name' | 'path'>): string {
  if (isSkillName(name)) return name;
  const joined = (name === '' ? path : name)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SKILL_NAME);
  const slug = trimChars(joined, '-');
  return slug === '' ? 'skill' : slug;
}

export interface SkillFrontMatter {
  readonly name: string;
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly 'allowed-tools'?: string;
  /** Strings only, as the format requires. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Metadata that is not a string. The format allows more fields, and readers treat them as metadata. */
  readonly [extra: string]: unknown;
}

/** A plain key for every YAML reader. */
const PLAIN_KEY = /^[A-Za-z][\w-]*$/;

const filled = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => (field[1] ?? '') !== ''));

/** Splits metadata into strings and other fields. */
function splitMetadata(skill: Skill): { texts: Record<string, string>; others: Record<string, unknown> } {
  const texts: Record<string, string> = {};
  const others: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(skill.metadata)) {
    if (value === null || value === undefined) continue;
    if (typeof value === 'string') texts[key] = value;
    else if (PLAIN_KEY.test(key) && !HEAD_FIELDS.has(key)) others[key] = value;
    else texts[key] = JSON.stringify(value);
  }
  const { author, version, tags } = skill;
  // A comma-separated list cannot hold a tag with a comma.
  const isPlain = tags.every((tag) => !tag.includes(','));
  const own = filled({ author, version, tags: isPlain ? tags.join(', ') : undefined });
  return { texts: { ...texts, ...own }, others: isPlain ? others : { tags, ...others } };
}

/**
 * The front matter, by the rules of the format: author, version and tags become metadata, the name is adapted and the
 * description cut. Everything else is kept.
 */
export function skillFrontMatter(skill: Skill): SkillFrontMatter {
  const { license, compatibility, allowed_tools } = skill;
  const { texts, others } = splitMetadata(skill);
  const description = [...(skill.description === '' ? skill.name : skill.description)].slice(0, MAX_SKILL_DESCRIPTION);
  return {
    name: skillName(skill),
    description: description.join(''),
    ...filled({ license, compatibility, 'allowed-tools': allowed_tools.join(' ') }),
    ...(Object.keys(texts).length === 0 ? {} : { metadata: texts }),
    ...others,
  };
}

/** JSON is valid YAML, so no text can end the front matter early. Plain keys have no quotes. */
function line(key: string, value: unknown): string {
  return `${PLAIN_KEY.test(key) ? key : JSON.stringify(key)}: ${JSON.stringify(value)}`;
}

/**
 * A skill as a SKILL.md: front matter and body. The same skill always gives the same bytes and digest. A skill that follows
 * the format reads back unchanged.
 */
export function skillMd(skill: Skill): string {
  const lines = Object.entries(skillFrontMatter(skill)).flatMap(([key, value]) =>
    key === 'metadata'
      ? ['metadata:', ...Object.entries(value as object).map(([name, text]) => `  ${line(name, text)}`)]
      : [line(key, value)],
  );
  return `---\n${lines.join('\n')}\n---\n${skill.body}`;
}
