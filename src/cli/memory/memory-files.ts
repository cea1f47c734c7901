import { type AuditReport, auditMemories } from '../../memories/audit/audit.ts';
import type { Memories } from '../../memories/memories.ts';
import { toDowserError } from '../../model/errors.ts';
import { readMemoryFile } from '../../sources/memory-file.ts';

/** The audit of a file of another tool: nothing is stored. */
export async function auditFile(file: string): Promise<AuditReport> {
  const { memories } = await readMemoryFile(file);
  return auditMemories(
    memories.map(({ name, memory, supersededBy }) => ({
      name,
      content: memory.content,
      namespace: null,
      createdAt: typeof memory.created_at === 'string' ? Date.parse(memory.created_at) : null,
      isSuperseded: supersededBy !== null,
      firstRecall: undefined,
    })),
  );
}

export interface ImportReport {
  readonly format: string;
  readonly found: number;
  readonly stored: number;
  readonly duplicates: number;
  readonly superseded: number;
  readonly problems: readonly string[];
}

export interface ImportOptions {
  readonly source_class?: unknown;
  readonly namespace?: unknown;
  readonly dryRun: boolean;
}

const BATCH = 500;

/** Stores the memories of a file, then which of them superseded which. */
export async function importFile(
  memories: Memories,
  file: string,
  { dryRun, ...about }: ImportOptions,
): Promise<ImportReport> {
  const { format, memories: found, problems: unread } = await readMemoryFile(file);
  const problems = [...unread];
  let [stored, duplicates, superseded] = [0, 0, 0];
  for (let at = 0; at < found.length && !dryRun; at += BATCH) {
    const batch = found.slice(at, at + BATCH);
    const done = await memories.storeMany(batch.map(({ memory }) => ({ ...memory, ...about })));
    stored += done.stored;
    duplicates += done.duplicates;
    for (const { index, message } of done.refused) problems.push(`${batch[index]!.name}: ${message}`);
  }
  for (const { name, supersededBy } of dryRun ? [] : found) {
    if (supersededBy === null) continue;
    try {
      await memories.supersede(name, { by: supersededBy, reason: 'superseded in the imported store' });
      superseded += 1;
    } catch (thrown) {
      problems.push(`${name}: ${toDowserError(thrown).message}`);
    }
  }
  return { format, found: found.length, stored, duplicates, superseded, problems };
}
