import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { fileSource } from '../fetch/file-source.ts';
import { cannotRead, fetchText, readTextFile } from '../fetch/read-document.ts';
import { type RemoteSpec, remoteSource } from '../fetch/remote-source.ts';
import { withoutClaims } from '../formats/registry-claims.ts';
import { readSkillMd } from '../formats/skill-file.ts';
import type { Source, SourceContext, SourceItem, SourceTraits } from '../source.ts';
import { readSkillFiles } from './skill-files.ts';

const TRAITS: SourceTraits = { kind: 'skill', live: false, directory: false };
const SKILL_FILE = 'SKILL.md';
/** A folder of skills is a few levels deep. Limits the search of a home folder. */
const DEEPEST = 8;
const MAX_SKILLS = 5000;
const PASSED_OVER = new Set(['node_modules', '.git', 'dist', 'build', '__pycache__', '.venv']);

/** Every SKILL.md below a folder, sorted by path. Does not follow links, which may loop. */
async function skillFiles(folder: string, depth = 0): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isFile() && entry.name.toLowerCase() === SKILL_FILE.toLowerCase()) found.push(path);
    else if (entry.isDirectory() && depth < DEEPEST && !PASSED_OVER.has(entry.name)) {
      found.push(...(await skillFiles(path, depth + 1)));
    }
    if (found.length > MAX_SKILLS) {
      throw new DowserError('INVALID_FILE', `${folder} has more than ${MAX_SKILLS} skills.`, {
        hint: 'Add its subfolders one by one.',
      });
    }
  }
  return found;
}

/** One SKILL.md file. */
export function skillFileSource(path: string, context: SourceContext): Source {
  return fileSource(path, context, TRAITS, async function* ({ text, file }) {
    yield { part: '', ...(await withFiles(fromFile(text, file), file)) };
  });
}

/** The format requires the name of the folder as the skill's name. */
function fromFile(text: string, file: string) {
  const { entity, warnings } = readSkillMd(text);
  const folder = basename(dirname(file));
  const odd =
    basename(file) === SKILL_FILE && folder !== entity.name
      ? [`'name' is '${entity.name}', but the folder is '${folder}'.`]
      : [];
  return { entity, warnings: [...warnings, ...odd] };
}

/** Only a folder that is named after its skill has files of the skill. Any other folder may hold anything. */
async function withFiles(read: ReturnType<typeof fromFile>, file: string) {
  const folder = dirname(file);
  if (basename(folder) !== read.entity.name) return read;
  const { files, warnings } = await readSkillFiles(folder);
  if (files.length === 0) return { ...read, warnings: [...read.warnings, ...warnings] };
  return { entity: { ...read.entity, files }, warnings: [...read.warnings, ...warnings] };
}

/** Every skill below a folder. An invalid file does not stop the others. A repeated name gets its folder's path. */
export function skillFolderSource(path: string, context: SourceContext): Source {
  const folder = resolve(path);
  return {
    ...TRAITS,
    locator: { folder },
    title: folder,
    async *read(signal): AsyncGenerator<SourceItem> {
      const files = await skillFiles(folder).catch((thrown) => {
        throw cannotRead(folder, thrown);
      });
      if (files.length === 0) {
        throw new DowserError('INVALID_FILE', `${folder} has no ${SKILL_FILE}.`, {
          hint: `A skill is a folder with a file ${SKILL_FILE}.`,
        });
      }
      const taken = new Set<string>();
      for (const file of files) {
        signal.throwIfAborted();
        const part = relative(folder, file).replaceAll('\\', '/');
        try {
          const read = await withFiles(fromFile(await readTextFile(file, context.limits.maxBytes), file), file);
          const place = taken.has(read.entity.path) ? `/skills/${dirname(part)}` : read.entity.path;
          taken.add(place);
          yield { part, entity: { ...read.entity, path: place }, warnings: read.warnings };
        } catch (thrown) {
          yield { part, problem: toDowserError(thrown) };
        }
      }
    },
  };
}

/** A SKILL.md, from an address. */
export function skillUrlSource(spec: RemoteSpec, context: SourceContext): Source {
  return remoteSource(spec, context, TRAITS, async function* ({ url, headers, signal, title }) {
    const { entity, warnings } = readSkillMd(await fetchText(url, { limits: context.limits, signal, headers }));
    yield { part: '', entity: { ...withoutClaims(entity), skill_md_url: title }, warnings };
  });
}
