import { join, resolve } from 'node:path';
import type { Skill } from '../../model/entity.ts';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { promptLikeParts } from '../../model/prompt-scan/prompt-like.ts';
import { skillName } from '../../model/skill-md.ts';
import { TrustedSources } from '../../sources/trusted-sources.ts';
import { type Backend, withBackend } from '../context/backend.ts';
import { bulkSettingsFor, type CommandModule, type CommandRun, print, runNamed, warn } from '../context/context.ts';
import { getWanted } from '../context/named-entity.ts';
import {
  changesBetween,
  contentOf,
  type Digests,
  digestsIn,
  digestsOf,
  expectNoLinks,
  type FileChanges,
  isSame,
  type LockedSkill,
  readLock,
  writeLock,
  writeSkill,
} from '../install/skill-folder.ts';
import { embedMissing } from '../model/missing-vectors.ts';
import { labelOf } from '../sources/read-source.ts';
import { sourceContext } from '../sources/source-context.ts';
import { oneLine } from '../terminal/text-width.ts';

function run(run: CommandRun): Promise<number> {
  return runNamed(run, 'skill action', {
    check: () => check(run),
    install: () => install(run),
    watch: () => watch(run),
  });
}

/** Agents of several vendors read `.agents/skills`, Claude Code `.claude/skills`. */
function folderOf({ options }: CommandRun): string {
  if (typeof options.dir === 'string') return resolve(options.dir);
  return resolve(options.claude === true ? '.claude/skills' : '.agents/skills');
}

const NONE: FileChanges = { changed: [], added: [], removed: [] };

async function install(run: CommandRun): Promise<number> {
  const [, ...words] = run.args;
  if (words.length !== 1) {
    throw new DowserError('INVALID_REQUEST', 'Name one skill.', {
      hint: 'For example: `dowser skill install /skills/pdf`.',
    });
  }
  const skill = await withBackend(run, { reads: true, missing: 'refuse' }, (backend) => skillAt(backend, words[0]!));
  const parent = folderOf(run);
  const name = skillName(skill);
  const folder = join(parent, name);
  const lock = await readLock(parent);
  const earlier = Object.hasOwn(lock.skills, name) ? lock.skills[name] : undefined;
  const content = contentOf(skill);
  await expectNoLinks(folder, content.files.keys());
  const here = await digestsIn(folder);
  expectOwn(folder, here, earlier, skill.path);
  const files = digestsOf(content);
  const changes = changesBetween(here ?? {}, files);
  const isUnchanged = here !== null && isSame(changes);
  const writes = run.options.dryRun !== true && !isUnchanged;
  if (writes) {
    await writeSkill(folder, content, here ?? {});
    const locked: LockedSkill = { path: skill.path, version: skill.version ?? null, files };
    await writeLock(parent, { version: 1, skills: { ...lock.skills, [name]: locked } });
  }
  for (const path of content.missing)
    warn(run, `The registry does not keep the content of '${oneLine(path)}'. Get it from the original.`);
  for (const { phrase } of promptLikeParts(skill))
    warn(run, `${skill.path} has text that reads like an instruction (“${phrase}”).`);
  const state = isUnchanged ? 'unchanged' : writes ? 'installed' : 'would be installed';
  print(run, { path: skill.path, name, folder, state, files, changes, missing: content.missing }, () => {
    return `${[`${name}: ${state} in ${folder}`, ...changeLines(changes)].join('\n')}\n`;
  });
  return 0;
}

/** A folder that Dowser did not write, or that was edited since, is not written. */
function expectOwn(folder: string, here: Digests | null, earlier: LockedSkill | undefined, path: string): void {
  if (here === null) return;
  const isOwn = earlier !== undefined && earlier.path === path && isSame(changesBetween(earlier.files, here));
  if (isOwn) return;
  const why = earlier?.path === path ? 'was changed since it was installed' : 'was not installed from there';
  throw new DowserError('ALREADY_EXISTS', `${folder} ${why}.`, {
    hint: 'Move your changes elsewhere or delete the folder, and run the command again.',
  });
}

/** Keeps the skills of added folders like their folders until Ctrl-C. With `--json` a line for each reading that changed something. */
async function watch(run: CommandRun): Promise<number> {
  const settings = bulkSettingsFor(run);
  const wanted = run.args.slice(1).map((folder) => resolve(folder));
  return withBackend(run, { settings, missing: 'refuse' }, async (backend) => {
    const { skillFolders, watchSkills, hasChanged } = await import('../sources/watch-skills.ts');
    const trusted = new TrustedSources(settings.data_dir);
    const parts = { registry: backend, trusted, wanted };
    const folders = await skillFolders(parts);
    if (folders.length === 0) {
      throw new DowserError(
        'NOT_FOUND',
        `There is no added folder of skills${wanted.length === 0 ? '' : ` ${wanted[0]}`}.`,
        {
          hint: 'Add it first: `dowser add FOLDER --kind skill`.',
        },
      );
    }
    if (run.options.json !== true)
      run.out.write(`Watching ${oneLine(folders.map(({ name }) => name).join(', '))}. Ctrl-C ends it.\n`);
    await watchSkills({
      ...parts,
      context: sourceContext(run, settings),
      signal: run.signal,
      async onRead(report) {
        if (!hasChanged(report)) return;
        const ids = report.results.map((result) => `  ${result.state}  ${oneLine(labelOf(result))}`);
        const problems = report.problems.map(
          ({ part, message }) => `  problem  ${oneLine(`${part} ${message}`.trim())}`,
        );
        const text = [`${oneLine(report.title)}: ${report.state}`, ...ids, ...problems].join('\n');
        run.out.write(`${run.options.json === true ? JSON.stringify(report) : text}\n`);
        // A server has its own queue.
        if (!backend.isServer) await embedMissing(run, settings, backend);
      },
      onProblem: (folder, error) => warn(run, `${oneLine(folder)}: ${toDowserError(error).message}`),
    });
    return 0;
  });
}

async function skillAt(backend: Backend, word: string): Promise<Skill> {
  const { entity } = await getWanted(backend, [word]);
  if (entity.type === 'skill') return entity;
  throw new DowserError('INVALID_REQUEST', `'${entity.path}' is not a skill.`, {
    hint: 'List the skills with `dowser list skill`.',
  });
}

interface CheckedSkill {
  readonly name: string;
  readonly path: string;
  readonly state: 'same' | 'drifted' | 'missing';
  /** Edited in the folder since it was installed. */
  readonly here: FileChanges;
  /** Changed in the registry since then. Null: it is no longer there. */
  readonly registry: FileChanges | null;
}

/** Compares the folder with the lock file, and the lock file with the registry. Exits with 1 if anything differs. */
async function check(run: CommandRun): Promise<number> {
  const parent = folderOf(run);
  const { skills } = await readLock(parent);
  const checked = await withBackend(run, { reads: true, missing: 'warn' }, async (backend) => {
    const all: CheckedSkill[] = [];
    for (const [name, locked] of Object.entries(skills)) {
      const here = await digestsIn(join(parent, name));
      const registered = await registeredDigests(backend, locked.path);
      const registry = registered === null ? null : changesBetween(locked.files, registered);
      const own = changesBetween(locked.files, here ?? {});
      const isEqual = isSame(own) && registry !== null && isSame(registry);
      const state = here === null ? 'missing' : isEqual ? 'same' : 'drifted';
      all.push({ name, path: locked.path, state, here: here === null ? NONE : own, registry });
    }
    return all;
  });
  const drifted = checked.filter(({ state }) => state !== 'same').length;
  print(run, { folder: parent, drifted, skills: checked }, () => {
    if (checked.length === 0) return `No skill was installed in ${parent}.\n`;
    const lines = checked.flatMap(({ name, path, state, here, registry }) => [
      `${oneLine(name)}  ${state}`,
      ...(isSame(here) ? [] : ['  in the folder:', ...changeLines(here)]),
      ...(registry === null ? [`  ${oneLine(path)} is no longer registered`] : []),
      ...(registry === null || isSame(registry) ? [] : ['  in the registry:', ...changeLines(registry)]),
    ]);
    return `${lines.join('\n')}\n`;
  });
  return drifted === 0 ? 0 : 1;
}

async function registeredDigests(backend: Backend, path: string): Promise<Digests | null> {
  try {
    const { entity } = await backend.get('skill', path);
    return digestsOf(contentOf(entity as Skill));
  } catch (thrown) {
    if (toDowserError(thrown).code === 'NOT_FOUND') return null;
    throw thrown;
  }
}

const changeLines = ({ changed, added, removed }: FileChanges): readonly string[] => [
  ...changed.map((path) => `    changed  ${oneLine(path)}`),
  ...added.map((path) => `    added    ${oneLine(path)}`),
  ...removed.map((path) => `    removed  ${oneLine(path)}`),
];

export const command: CommandModule = { run, graceful: true };
