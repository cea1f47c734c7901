import type { Skill } from '../model/entity.ts';

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The name a SKILL.md may have: 1 to 64 lower-case letters, digits and single hyphens. */
export function skillName({ name, path }: Pick<Skill, 'name' | 'path'>): string {
  if (name.length <= 64 && NAME.test(name)) return name;
  const slug = (name === '' ? path : name)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replaceAll(/^-+|-+$/g, '');
  return slug === '' ? 'skill' : slug;
}

export interface SkillFrontMatter {
  readonly name: string;
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly 'allowed-tools'?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

const MAX_DESCRIPTION = 1024;

const filled = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => (field[1] ?? '') !== ''));

/** What stands at the top of the file, by the rules of the format: who wrote it and which version it is are metadata. */
export function skillFrontMatter(skill: Skill): SkillFrontMatter {
  const { license, compatibility, allowed_tools, author, version, tags } = skill;
  const metadata = filled({ author, version, tags: tags.join(', ') });
  const description = [...(skill.description === '' ? skill.name : skill.description)].slice(0, MAX_DESCRIPTION);
  return {
    name: skillName(skill),
    description: description.join(''),
    ...filled({ license, compatibility, 'allowed-tools': allowed_tools.join(' ') }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

/** A skill as the file it would be: front matter and body. The same skill always gives the same bytes. */
export function skillMd(skill: Skill): string {
  const lines = Object.entries(skillFrontMatter(skill)).flatMap(([key, value]: [string, unknown]) =>
    // A JSON string is a YAML string, whatever is in it.
    typeof value === 'string'
      ? [`${key}: ${JSON.stringify(value)}`]
      : [`${key}:`, ...Object.entries(value as object).map(([name, text]) => `  ${name}: ${JSON.stringify(text)}`)],
  );
  return `---\n${lines.join('\n')}\n---\n\n${skill.body.replace(/^\n+/, '')}`;
}
