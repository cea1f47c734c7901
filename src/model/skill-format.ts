/** The rules of the Agent Skills format for the head of a SKILL.md, for those who read one and those who write one. */

/** Lower-case words joined by single hyphens. */
export const SKILL_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
export const MAX_SKILL_NAME = 64;
export const MAX_SKILL_DESCRIPTION = 1024;
export const MAX_SKILL_COMPATIBILITY = 500;

export const isSkillName = (name: string): boolean => name.length <= MAX_SKILL_NAME && SKILL_NAME.test(name);

/** Fields that have a meaning of their own at the top of a head; any other is metadata. */
export const HEAD_FIELDS: ReadonlySet<string> = new Set([
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
  // Beyond the format, but common, and known to its usual readers.
  'tags',
  'version',
  'author',
]);
