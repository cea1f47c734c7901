/** The rules of the Agent Skills format for the front matter of a SKILL.md. */

/** Lowercase words joined by single hyphens. */
export const SKILL_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
export const MAX_SKILL_NAME = 64;
export const MAX_SKILL_DESCRIPTION = 1024;
export const MAX_SKILL_COMPATIBILITY = 500;

export const isSkillName = (name: string): boolean => name.length <= MAX_SKILL_NAME && SKILL_NAME.test(name);

/** The known fields of the front matter. Any other is metadata. */
export const HEAD_FIELDS: ReadonlySet<string> = new Set([
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
  // Not in the format, but common.
  'tags',
  'version',
  'author',
]);
