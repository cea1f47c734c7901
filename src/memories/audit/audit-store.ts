import type { EntityRecord, ScopedRegistry } from '../../registry/contract/registry.ts';
import { toMemory } from '../contract/to-memory.ts';
import type { MemoryParts } from '../parts/memory-parts.ts';
import { type AuditedMemory, type AuditReport, auditMemories } from './audit.ts';

const BATCH = 500;

/** Every memory that is kept, in order of path. */
async function* findMemoryPages(registry: ScopedRegistry): AsyncGenerator<EntityRecord> {
  const rows = await registry.rows('memory');
  const paths = rows.filter(({ is_enabled }) => is_enabled).map(({ path }) => path);
  paths.sort();
  for (let at = 0; at < paths.length; at += BATCH) yield* await registry.getMany('memory', paths.slice(at, at + BATCH));
}

/** The audit of everything that the caller may read. */
export async function auditStore(parts: MemoryParts): Promise<AuditReport> {
  const recalls = await parts.recalls.read();
  const memories: AuditedMemory[] = [];
  for await (const record of findMemoryPages(parts.registry)) {
    const { path, content, content_hash, namespace, created_at, superseded } = toMemory(record);
    const first = recalls.get(path)?.first;
    memories.push({
      // The hash alone would name the memory of another namespace.
      name: namespace === null ? content_hash : path,
      content,
      namespace,
      createdAt: created_at * 1000,
      isSuperseded: superseded !== null,
      firstRecall: first === undefined ? null : Date.parse(first),
    });
  }
  return auditMemories(memories);
}
