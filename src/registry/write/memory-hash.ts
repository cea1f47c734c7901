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
  if (entity.content_hash === content_hash) return entity;
  // In the order of the schema: an export must not change when it is imported.
  const fields = Object.entries(entity).filter(([name]) => name !== 'content_hash');
  const at = fields.findIndex(([name]) => name === 'content') + 1;
  return Object.fromEntries(fields.toSpliced(at, 0, ['content_hash', content_hash])) as typeof entity;
}
