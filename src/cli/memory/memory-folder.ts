import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Memory } from '../../memories/contract/memory-answers.ts';
import type { ListMemories } from '../../memories/contract/memory-requests.ts';
import type { Memories } from '../../memories/memories.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { contentHash } from '../../registry/write/memory-hash.ts';
import { hashInName, memoryFileName, readMemoryPage, toMemoryPage } from '../../sources/kinds/memory-page.ts';
import { readIfThere } from '../install/config-files.ts';

export interface ExportReport {
  readonly folder: string;
  readonly dry_run: boolean;
  readonly memories: number;
  readonly written: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: number;
}

export interface ExportOptions {
  readonly filters: Record<string, unknown>;
  readonly dryRun: boolean;
  /** Whether the caller sees the memories of everyone. Who does not cannot tell what was forgotten. */
  readonly seesAll: boolean;
}

const PAGE_SIZE = 100;

/**
 * Writes each memory as a Markdown file, also what was superseded. The same memories give the same bytes. Files of memories that were
 * forgotten are removed, unless filters or the rights of the caller leave some out.
 */
export async function exportFolder(
  memories: Memories,
  folder: string,
  { filters, dryRun, seesAll }: ExportOptions,
): Promise<ExportReport> {
  const pages = new Map<string, string>();
  for (const memory of await allMemories(memories, filters)) pages.set(memoryFileName(memory), toMemoryPage(memory));
  const written: string[] = [];
  for (const [name, text] of pages) {
    const file = join(folder, name);
    if ((await readIfThere(file)) === text) continue;
    written.push(name);
    if (dryRun) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { mode: 0o600 });
  }
  const isWhole = seesAll && Object.keys(filters).length === 0;
  const removed = isWhole ? (await memoryFiles(folder)).filter((name) => !pages.has(name)) : [];
  if (!dryRun) for (const name of removed) await rm(join(folder, name));
  const unchanged = pages.size - written.length;
  return { folder, dry_run: dryRun, memories: pages.size, written: written.sort(), removed, unchanged };
}

async function allMemories(memories: Memories, filters: Record<string, unknown>): Promise<readonly Memory[]> {
  const all: Memory[] = [];
  for (let page = 1; ; page++) {
    const request = { ...filters, page, page_size: PAGE_SIZE, include_superseded: true };
    const found = await memories.list(request as ListMemories);
    all.push(...found.memories);
    if (!found.has_more) return all;
  }
}

/** The files that an export wrote and nobody edited since. */
async function memoryFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await isExported(file))) found.push(relative(folder, file).replaceAll('\\', '/'));
  }
  return found.sort();
}

async function isExported(file: string): Promise<boolean> {
  const hash = hashInName(file);
  if (hash === undefined) return false;
  try {
    const page = readMemoryPage(await readFile(file, 'utf8'));
    return page?.name.startsWith(hash) === true && page.name === contentHash(page.memory.content);
  } catch (thrown) {
    // Front matter that is larger than a memory has.
    if (thrown instanceof DowserError) return false;
    throw thrown;
  }
}
