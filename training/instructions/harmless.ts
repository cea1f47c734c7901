// Texts of real catalogs that give no orders to a model, as the product embeds them.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { unitsOf } from '../../src/model/entity-types/table.ts';
import { openJsonl } from '../../src/sources/kinds/jsonl.ts';

/** Entities that are read of each corpus. One unit of each. */
const CORPORA: Readonly<Record<string, number>> = { mcp_corpus: 900, skills: 450, a2a: 100, bfcl: 150, scifact: 60 };
const OF_CONVERSATIONS = 160;
/** As much of a unit as the smallest local model reads of it, or less: enough to tell what it is. */
export const MAX_CHARS = 500;

/** A number of 0 to 1 that is the same in every run. */
export const chanceOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;

async function unitsOfCorpus(folder: string, count: number): Promise<string[]> {
  const file = join(folder, 'corpus.jsonl');
  if (!existsSync(file)) return [];
  const texts: { readonly at: number; readonly text: string }[] = [];
  for await (const line of (await openJsonl(file)).lines) {
    if (!('entity' in line)) continue;
    const units = unitsOf(line.entity).filter(({ embedText }) => embedText !== '');
    if (units.length === 0) continue;
    const at = chanceOf(line.entity.path);
    // The card of a server with tools says less than its tools.
    const from = units.length > 1 ? 1 : 0;
    const unit = units[from + Math.floor(chanceOf(`unit ${line.entity.path}`) * (units.length - from))]!;
    texts.push({ at, text: unit.embedText.slice(0, MAX_CHARS) });
  }
  return texts
    .sort((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ text }) => text);
}

/** The texts of the corpora in a folder. A corpus that is missing is left out. */
export async function harmlessTexts(data: string): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const [name, count] of Object.entries(CORPORA)) texts.push(...(await unitsOfCorpus(join(data, name), count)));
  const conversations = join(data, 'conversations');
  const folders = existsSync(conversations)
    ? readdirSync(conversations, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    : [];
  for (const { name } of folders) {
    texts.push(...(await unitsOfCorpus(join(conversations, name), Math.ceil(OF_CONVERSATIONS / folders.length))));
  }
  return [...new Set(texts)];
}
