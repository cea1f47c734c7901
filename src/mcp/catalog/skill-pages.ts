import type { Entity, Skill } from '../../model/entity.ts';
import type { SkillFile } from '../../model/entity-parts/skill-files.ts';
import { skillName } from '../../model/skill-md.ts';
import type { Catalog } from './catalog.ts';
import { findEntity } from './need-entity.ts';

/** Whether a search shows the skill too: enabled, and neither a draft nor deprecated. */
export function isListed(entity: Entity): entity is Skill {
  return entity.type === 'skill' && entity.is_enabled && (entity.status === 'active' || entity.status === 'beta');
}

const MANIFEST = '/SKILL.md';

/**
 * `skill://<path>/SKILL.md`. The extension requires the skill's name as the last segment of the path, so it is added if
 * missing. Null for a path that cannot be part of a URI.
 */
export function skillUri(skill: Skill): string | null {
  const segments = skill.path.split('/').filter((segment) => segment !== '');
  if (segments.some((segment) => segment === '.' || segment === '..')) return null;
  const name = skillName(skill);
  const whole = segments.at(-1) === name ? segments : [...segments, name];
  const uri = `skill://${whole.map(encodeURIComponent).join('/')}${MANIFEST}`;
  return URL.canParse(uri) && new URL(uri).href === uri ? uri : null;
}

/** The skill at a URI. Null if there is none. */
export async function skillAt(catalog: Pick<Catalog, 'get'>, uri: string): Promise<Skill | null> {
  if (!uri.startsWith('skill://') || !uri.endsWith(MANIFEST)) return null;
  let segments: string[];
  try {
    segments = uri.slice('skill://'.length, -MANIFEST.length).split('/').map(decodeURIComponent);
  } catch {
    return null;
  }
  for (const path of [segments.join('/'), segments.slice(0, -1).join('/')]) {
    for (const spelling of [`/${path}`, path]) {
      const entity = spelling === '' ? null : await findEntity(catalog, ['skill'], spelling);
      if (entity !== null && isListed(entity) && skillUri(entity) === uri) return entity;
    }
  }
  return null;
}

/** The URI of a file beside the SKILL.md at `uri`. */
export function fileUri(uri: string, path: string): string {
  return `${uri.slice(0, -MANIFEST.length)}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** The file of a skill at a URI. The folder of the skill may be any start of it. Undefined if there is none. */
export async function skillFileAtUri(catalog: Pick<Catalog, 'get'>, uri: string): Promise<SkillFile | undefined> {
  for (let at = uri.lastIndexOf('/'); at > 'skill://'.length; at = uri.lastIndexOf('/', at - 1)) {
    const skill = await skillAt(catalog, `${uri.slice(0, at)}${MANIFEST}`);
    if (skill === null) continue;
    const found = skill.files?.find(({ path }) => fileUri(`${uri.slice(0, at)}${MANIFEST}`, path) === uri);
    if (found !== undefined) return found;
  }
  return undefined;
}

export interface SkillPage {
  readonly skills: readonly Skill[];
  readonly cursor?: string;
}

/** One page of skills, by path. Skips disabled ones, and reads on until the page is full or the list ends. */
export async function listSkillPage(catalog: Pick<Catalog, 'page'>, limit: number, after?: string): Promise<SkillPage> {
  const skills: Skill[] = [];
  let cursor = after;
  do {
    const page = await catalog.page({ types: ['skill'], limit: limit - skills.length, after: cursor });
    skills.push(...page.entities.map(({ entity }) => entity).filter(isListed));
    cursor = page.cursor;
  } while (skills.length < limit && cursor !== undefined);
  return cursor === undefined ? { skills } : { skills, cursor };
}
