import type { Entity, Skill } from '../model/entity.ts';
import { skillName } from '../model/skill-md.ts';
import type { Catalog } from './catalog.ts';
import { findEntity } from './need-entity.ts';

/** What a search would show too: switched on, and neither a draft nor deprecated. */
export function isListed(entity: Entity): entity is Skill {
  return entity.type === 'skill' && entity.is_enabled && (entity.status === 'active' || entity.status === 'beta');
}

const MANIFEST = '/SKILL.md';

/**
 * `skill://<path>/SKILL.md`, where the last segment is the skill's name, as the extension wants it: a path that ends in
 * something else gets the name behind it. Null for a path that no URI can hold.
 */
export function skillUri(skill: Skill): string | null {
  const segments = skill.path.split('/').filter((segment) => segment !== '');
  if (segments.some((segment) => segment === '.' || segment === '..')) return null;
  const name = skillName(skill);
  const whole = segments.at(-1) === name ? segments : [...segments, name];
  const uri = `skill://${whole.map(encodeURIComponent).join('/')}${MANIFEST}`;
  return URL.canParse(uri) && new URL(uri).href === uri ? uri : null;
}

/** The skill whose SKILL.md is at a URI; null when none is served there. */
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

export interface SkillPage {
  readonly skills: readonly Skill[];
  readonly cursor?: string;
}

/** One page of skills in the order of their paths. What is switched off makes a page shorter, never the list. */
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
