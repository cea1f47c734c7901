import type { Entity } from '../../model/entity.ts';

/** Whether the routes of public standards show an entity to anyone: public, enabled and not a draft. */
export function isListed({ visibility, is_enabled, status }: Entity): boolean {
  return visibility === 'public' && is_enabled && status !== 'draft';
}
