import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Entity } from '../../src/model/entity.ts';
import { openJsonl } from '../../src/sources/kinds/jsonl.ts';

export interface SetFolder {
  readonly name: string;
  readonly dir: string;
  /** Which queries to ask: `dev`, or `test` where there are no others. Null for a catalog without queries. */
  readonly split: 'dev' | 'test' | null;
}

/** The sets that the summary is about, in its order. The constants of the ranking were chosen on half of their queries. */
export const SUMMARY_SETS = [
  'metatool',
  'toolbench',
  'sealtools',
  'bfcl',
  'toollens',
  'ultratool',
  'mcpm_examples',
  'mcptoolbench',
  'scifact',
  'cosqa',
] as const;

/** Tasks of about 1,100 characters, with the servers that they need. They have a section of their own. */
export const LONG_TASKS = 'long_tasks';

/** Collections of texts, where the others are of tools and servers. */
export const TEXT_SETS: readonly string[] = ['scifact', 'cosqa', 'cranfield'];

/** Every set and catalog of a folder, by name. */
export async function setFolders(data: string): Promise<readonly SetFolder[]> {
  const folders: SetFolder[] = [];
  for (const name of readdirSync(data).sort()) {
    const dir = resolve(data, name);
    if (!existsSync(join(dir, 'corpus.jsonl'))) continue;
    folders.push({ name, dir, split: existsSync(join(dir, 'qrels.jsonl')) ? await splitOf(dir) : null });
  }
  return folders;
}

/** The sets of the summary that are there, in its order. */
export function summarySets(sets: readonly SetFolder[]): readonly SetFolder[] {
  return SUMMARY_SETS.flatMap((name) => sets.filter((set) => set.name === name && set.split === 'dev'));
}

async function splitOf(dir: string): Promise<'dev' | 'test'> {
  const lines = createInterface({ input: createReadStream(join(dir, 'queries.jsonl')) });
  for await (const line of lines) if (/"split":\s*"dev"/.test(line)) return 'dev';
  return 'test';
}

/** The entities of a catalog; lines that cannot be used are left out, as in an import. */
export async function readCorpus({ dir }: SetFolder): Promise<readonly Entity[]> {
  const entities: Entity[] = [];
  for await (const line of (await openJsonl(join(dir, 'corpus.jsonl'))).lines) {
    if ('entity' in line) entities.push(line.entity);
  }
  return entities;
}

/** At most `most` items of a list, evenly spread, in order. */
export function spread<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.floor((i * list.length) / most)]!);
}
