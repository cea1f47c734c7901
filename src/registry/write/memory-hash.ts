import { createHash } from 'node:crypto';
import type { Entity } from '../../model/entity.ts';

/** What makes two memories the same: the content, without outer spaces and case. Hex, 64 characters. */
export function contentHash(content: string): string {
  return createHash('sha256').update(content.trim().toLowerCase()).digest('hex');
}

/** A memory with the hash of its own content, whatever its writer said. Other entities stay as they are. */
export function withContentHash(entity: Entity): Entity {
  if (entity.type !== 'memory') return entity;
  const content_hash = contentHash(entity.content);
  return entity.content_hash === content_hash ? entity : { ...entity, content_hash };
}
