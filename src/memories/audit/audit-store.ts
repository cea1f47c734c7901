import type { MemoryParts } from '../memory-parts.ts';
import { findMemoryPages } from '../read-memories.ts';
import { toMemory } from '../to-memory.ts';
import { type AuditedMemory, type AuditReport, auditMemories } from './audit.ts';

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
