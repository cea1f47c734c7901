import { type AuditReport, auditMemories } from '../../memories/audit/audit.ts';
import { pathOf } from '../../memories/contract/to-memory.ts';
import type { Memories } from '../../memories/memories.ts';
import { toDowserError } from '../../model/errors/errors.ts';
import { contentHash } from '../../registry/write/memory-hash.ts';
import { type FoundMemory, readMemoryFile } from '../../sources/kinds/memory-file.ts';

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
  /** Whether the caller sees the memories of everyone, and so restores a private one to its owner. */
  readonly seesAll: boolean;
}

const BATCH = 500;

/** Stores the memories of a file, then which of them superseded which. */
export async function importFile(
  memories: Memories,
  file: string,
  { dryRun, seesAll, ...about }: ImportOptions,
): Promise<ImportReport> {
  const nameOf = ({ memory }: FoundMemory) => nameIn({ ...memory, ...about }, seesAll);
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
  for (const [old, by] of dryRun ? [] : oldestFirst(found)) {
    try {
      const successor = by === undefined ? old.supersededBy! : nameOf(by);
      const reason = old.reason ?? 'superseded in the imported store';
      if (await supersedeOnce(memories, nameOf(old), successor, reason)) superseded += 1;
    } catch (thrown) {
      problems.push(`${old.name}: ${toDowserError(thrown).message}`);
    }
  }
  return { format, found: found.length, stored, duplicates, superseded, problems };
}

/** How a memory of the file is named here: by its path if it is not the caller's own. Its own store may have named it by another hash. */
function nameIn({ content, namespace, owner }: FoundMemory['memory'], seesAll: boolean): string {
  const hash = contentHash(content);
  if (typeof owner === 'string') return seesAll && owner !== '' ? pathOf(hash, { owner }) : hash;
  return namespace === undefined ? hash : pathOf(hash, { namespace: String(namespace) });
}

/**
 * Each superseded memory with its successor, if that is in the file. A memory that is superseded cannot be a successor any more,
 * so the oldest of a chain comes first.
 */
function oldestFirst(
  found: readonly FoundMemory[],
): readonly (readonly [old: FoundMemory, by: FoundMemory | undefined])[] {
  const byName = new Map(found.map((one) => [one.name, one]));
  // The same content may be a memory of several owners and groups: what superseded one has its readers.
  const placed = ({ namespace, owner }: FoundMemory['memory'], name: string) =>
    JSON.stringify([namespace, owner, name]);
  const byPlace = new Map(found.map((one) => [placed(one.memory, one.name), one]));
  const successorOf = ({ memory, supersededBy: by }: FoundMemory) =>
    by === null ? undefined : (byPlace.get(placed(memory, by)) ?? byName.get(by));
  /** How many successors follow. A file may have a circle: it ends at what it has seen. */
  const depths = new Map<FoundMemory, number>();
  for (const one of found) {
    const chain: FoundMemory[] = [];
    let at: FoundMemory | undefined = one;
    for (; at !== undefined && !depths.has(at); at = successorOf(at)) {
      depths.set(at, 0);
      chain.push(at);
    }
    let depth = at === undefined ? -1 : depths.get(at)!;
    for (const each of chain.toReversed()) {
      depth += 1;
      depths.set(each, depth);
    }
  }
  return found
    .filter(({ supersededBy }) => supersededBy !== null)
    .toSorted((a, b) => depths.get(b)! - depths.get(a)!)
    .map((one) => [one, successorOf(one)] as const);
}

/** Returns false if an earlier import has done it. */
async function supersedeOnce(memories: Memories, old: string, by: string, reason: string): Promise<boolean> {
  const { superseded } = await memories.get(old);
  if (superseded !== null && by.endsWith(superseded.by)) return false;
  await memories.supersede(old, { by, reason });
  return true;
}
