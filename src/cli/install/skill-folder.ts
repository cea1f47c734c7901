import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Skill } from '../../model/entity.ts';
import { isInside, SKILL_MANIFEST } from '../../model/entity-parts/skill-files.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { skillMd } from '../../model/skill-md.ts';
import { readSkillFiles } from '../../sources/kinds/skill-files.ts';
import { oneLine } from '../terminal/text-width.ts';
import { readIfThere, replaceFile } from './config-files.ts';

/** The files of an installed skill with their digests: `sha256:` and hex, by path, sorted. */
export type Digests = Readonly<Record<string, string>>;

export interface LockedSkill {
  /** Its path in the registry. */
  readonly path: string;
  readonly version: string | null;
  readonly files: Digests;
}

/** `skills-lock.json` beside the skills. Without times, so that the same skills give the same file. */
export interface SkillLock {
  readonly version: 1;
  readonly skills: Readonly<Record<string, LockedSkill>>;
}

const LOCK = 'skills-lock.json';

export async function readLock(folder: string): Promise<SkillLock> {
  const file = join(folder, LOCK);
  const text = await readIfThere(file);
  if (text === null) return { version: 1, skills: {} };
  const lock = parsed(file, text);
  if (
    !isJsonObject(lock) ||
    lock.version !== 1 ||
    !isJsonObject(lock.skills) ||
    !Object.values(lock.skills).every(isLocked)
  ) {
    throw new DowserError('INVALID_FILE', `${file} is not a lock file of this version.`, {
      hint: 'Update Dowser, or restore the file.',
    });
  }
  const { skills } = lock as unknown as SkillLock;
  for (const [name, { files }] of Object.entries(skills)) {
    const outside = name.includes('/') ? name : [name, ...Object.keys(files)].find((path) => !isInside(path));
    if (outside === undefined) continue;
    throw new DowserError(
      'INVALID_FILE',
      `${file} names '${oneLine(outside)}', which is not inside the folder of a skill.`,
      {
        hint: 'Nothing was changed. Restore the lock file, or delete it with the skills beside it and install them again.',
      },
    );
  }
  return { version: 1, skills };
}

function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DowserError('INVALID_FILE', `${file} is not JSON.`, { hint: 'Restore it, for example with git.', cause });
  }
}

const isLocked = (locked: unknown): boolean =>
  isJsonObject(locked) && typeof locked.path === 'string' && isJsonObject(locked.files);

export function writeLock(folder: string, { skills }: SkillLock): Promise<void> {
  const sorted = Object.fromEntries(Object.entries(skills).sort(([a], [b]) => (a < b ? -1 : 1)));
  return replaceFile(join(folder, LOCK), `${JSON.stringify({ version: 1, skills: sorted }, null, 2)}\n`);
}

export interface SkillContent {
  readonly files: ReadonlyMap<string, Buffer>;
  /** Files whose content the registry does not keep. */
  readonly missing: readonly string[];
}

/** The folder of a skill, as it is registered. */
export function contentOf(skill: Skill): SkillContent {
  const files = new Map([[SKILL_MANIFEST, Buffer.from(skillMd(skill))]]);
  const missing: string[] = [];
  for (const { path, content, encoding } of skill.files ?? []) {
    if (content === undefined) missing.push(path);
    else files.set(path, Buffer.from(content, encoding ?? 'utf8'));
  }
  return { files, missing };
}

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

export function digestsOf({ files }: SkillContent): Digests {
  return sorted([...files].map(([path, bytes]) => [path, digestOf(bytes)] as const));
}

const sorted = (entries: readonly (readonly [string, string])[]): Digests =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));

/** What is in the folder now. Null if there is no such folder. */
export async function digestsIn(folder: string): Promise<Digests | null> {
  if ((await readdir(folder).catch(() => null)) === null) return null;
  const { files } = await readSkillFiles(folder);
  const manifest = await readIfThere(join(folder, SKILL_MANIFEST));
  const own = manifest === null ? [] : [[SKILL_MANIFEST, digestOf(Buffer.from(manifest))] as const];
  return sorted([...own, ...files.map(({ path, digest }) => [path, digest] as const)]);
}

/** How two states of a folder differ. */
export interface FileChanges {
  readonly changed: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export function changesBetween(before: Digests, after: Digests): FileChanges {
  const names = (a: Digests, b: Digests) => Object.keys(a).filter((path) => !Object.hasOwn(b, path));
  const changed = Object.keys(before).filter((path) => Object.hasOwn(after, path) && before[path] !== after[path]);
  return { changed, added: names(after, before), removed: names(before, after) };
}

export const isSame = ({ changed, added, removed }: FileChanges): boolean =>
  changed.length + added.length + removed.length === 0;

/** A link would lead a write to another place. Throws ALREADY_EXISTS if the folder or something on the way to a file is one. */
export async function expectNoLinks(folder: string, paths: Iterable<string>): Promise<void> {
  const places = new Set([folder]);
  for (const path of paths) {
    const parts = path.split('/');
    for (const at of parts.keys()) places.add(join(folder, ...parts.slice(0, at + 1)));
  }
  for (const place of places) {
    const found = await lstat(place).catch(() => null);
    if (found?.isSymbolicLink() !== true) continue;
    throw new DowserError('ALREADY_EXISTS', `${place} is a symbolic link.`, {
      hint: 'Nothing is written through a link. Delete it, and run the command again.',
    });
  }
}

/** Writes the files, and removes those that were in the folder and are gone from the skill. */
export async function writeSkill(folder: string, { files }: SkillContent, here: Digests): Promise<void> {
  for (const [path, bytes] of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
    // A script is started by its first line.
    if (bytes.subarray(0, 2).toString() === '#!') await chmod(file, 0o755);
  }
  for (const path of Object.keys(here)) {
    if (files.has(path)) continue;
    await rm(join(folder, path), { force: true });
    await rmdir(dirname(join(folder, path))).catch(() => undefined);
  }
}
