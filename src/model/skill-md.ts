import type { Skill } from './entity.ts';
import { HEAD_FIELDS, isSkillName, MAX_SKILL_DESCRIPTION, MAX_SKILL_NAME } from './skill-format.ts';

/** The skill's name, made fit for a SKILL.md. */
export function skillName({ name, path }: Pick<Skill, 'name' | 'path'>): string {
  if (isSkillName(name)) return name;
  const slug = (name === '' ? path : name)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SKILL_NAME)
    .replaceAll(/^-+|-+$/g, '');
  return slug === '' ? 'skill' : slug;
}

export interface SkillFrontMatter {
  readonly name: string;
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly 'allowed-tools'?: string;
  /** Texts only, by the rules of the format. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Metadata that is not text: the format lets a head have more fields, and readers take them for metadata again. */
  readonly [extra: string]: unknown;
}

/** What every YAML reader takes for a plain key. */
const PLAIN_KEY = /^[A-Za-z][\w-]*$/;

const filled = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => (field[1] ?? '') !== ''));

/** Metadata as the format has it, and the rest of it as fields beside it. */
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
  // A list cut by commas cannot hold a tag that has one.
  const isPlain = tags.every((tag) => !tag.includes(','));
  const own = filled({ author, version, tags: isPlain ? tags.join(', ') : undefined });
  return { texts: { ...texts, ...own }, others: isPlain ? others : { tags, ...others } };
}

/**
 * What stands at the top of the file, by the rules of the format: who wrote it, which version it is and its tags are
 * metadata, a name is made fit and a description cut. All that the skill says otherwise is kept.
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

/** JSON is YAML, whatever is in it: nothing in a text can end the head early. A reader of plain keys gets plain keys. */
function line(key: string, value: unknown): string {
  return `${PLAIN_KEY.test(key) ? key : JSON.stringify(key)}: ${JSON.stringify(value)}`;
}

/**
 * A skill as the file it would be: front matter and body. The same skill gives the same bytes wherever it is served, so that
 * one digest holds for all of them, and a skill that keeps to the format reads back as it is.
 */
export function skillMd(skill: Skill): string {
  const lines = Object.entries(skillFrontMatter(skill)).flatMap(([key, value]) =>
    key === 'metadata'
      ? ['metadata:', ...Object.entries(value as object).map(([name, text]) => `  ${line(name, text)}`)]
      : [line(key, value)],
  );
  return `---\n${lines.join('\n')}\n---\n${skill.body}`;
}
