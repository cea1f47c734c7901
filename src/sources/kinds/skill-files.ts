import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SKILL_FILES, SKILL_MANIFEST, type SkillFile } from '../../model/entity-parts/skill-files.ts';

const DEEPEST = 5;
/** A larger file is not read at all. */
const MAX_BYTES = 20_000_000;
const PASSED_OVER = new Set(['node_modules', '__pycache__', 'dist', 'build']);

/**
 * The files beside a SKILL.md, sorted by path. Leaves out hidden files, links, and folders that are a skill of their own.
 * `warnings` says what was left out or is listed without its content.
 */
export async function readSkillFiles(folder: string): Promise<{ files: SkillFile[]; warnings: string[] }> {
  const paths: string[] = [];
  await collect(folder, '', 0, paths);
  const files: SkillFile[] = [];
  const warnings: string[] = [];
  let room: number = SKILL_FILES.totalChars;
  for (const path of paths.slice(0, SKILL_FILES.max)) {
    const read = await readOne(join(folder, path), path, Math.min(room, SKILL_FILES.fileChars));
    if (typeof read === 'string') warnings.push(read);
    else {
      files.push(read);
      room -= read.content?.length ?? 0;
      if (read.content === undefined) warnings.push(`'${path}' is too large: its content is not kept.`);
    }
  }
  if (paths.length > SKILL_FILES.max) {
    warnings.push(`The skill has ${paths.length} files; ${SKILL_FILES.max} of them are kept.`);
  }
  return { files, warnings };
}

async function collect(folder: string, below: string, depth: number, found: string[]): Promise<void> {
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  if (depth > 0 && entries.some(({ name }) => isManifestName(name))) return;
  for (const entry of entries) {
    if (entry.name.startsWith('.') || found.length > 10 * SKILL_FILES.max) continue;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isFile() && !(depth === 0 && isManifestName(entry.name))) found.push(path);
    else if (entry.isDirectory() && depth < DEEPEST && !PASSED_OVER.has(entry.name)) {
      await collect(folder, path, depth + 1, found);
    }
  }
}

const isManifestName = (name: string) => name.toLowerCase() === SKILL_MANIFEST.toLowerCase();

async function readOne(file: string, path: string, room: number): Promise<SkillFile | string> {
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES) return `'${path}' has ${size} bytes and was left out.`;
    const bytes = await readFile(file);
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const whole = { path, size: bytes.byteLength, digest };
    const text = asText(bytes);
    const content = text ?? bytes.toString('base64');
    if (content.length > room) return whole;
    return text === null ? { ...whole, content, encoding: 'base64' } : { ...whole, content };
  } catch (thrown) {
    return `'${path}' cannot be read (${(thrown as NodeJS.ErrnoException).code ?? 'unknown'}).`;
  }
}

function asText(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
