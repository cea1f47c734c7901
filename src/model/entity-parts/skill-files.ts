import { z } from 'zod';
import { DowserError } from '../errors/errors.ts';
import { showValue } from '../parse/parse.ts';

/** The file of a skill with its instructions. */
export const SKILL_MANIFEST = 'SKILL.md';

/** Bounds of what is kept of the files beside a SKILL.md. A larger file is listed with its digest, without its content. */
export const SKILL_FILES = { max: 100, fileChars: 250_000, totalChars: 2_000_000 } as const;

export const skillFileSchema = z.object({
  /** Relative to the folder of the skill, with `/`. */
  path: z.string().min(1).max(512).refine(isInside, 'must be a path inside the folder of the skill'),
  size: z.int().min(0),
  /** `sha256:` and hex, of the bytes. */
  digest: z.string().max(71),
  content: z.string().max(SKILL_FILES.fileChars).optional(),
  /** Absent for text. */
  encoding: z.enum(['base64']).optional(),
});
export type SkillFile = z.output<typeof skillFileSchema>;

/** Whether a path with `/` leads to something inside a folder. */
export function isInside(path: string): boolean {
  return (
    !path.startsWith('/') && !path.includes('\\') && path.split('/').every((part) => !['', '.', '..'].includes(part))
  );
}

/** The file that a caller names: `./references/a.md` is `references/a.md`. */
export function skillFileAt(files: readonly SkillFile[], named: string): SkillFile | undefined {
  const path = named.replace(/^\.?\//, '');
  return files.find((file) => file.path === path);
}

/** A file whose content is kept. Throws NOT_FOUND. `field` is the argument that names it. */
export function needSkillFile(
  skill: {
    readonly name: string;
    readonly files?: readonly SkillFile[] | undefined;
    readonly skill_md_url?: string | undefined;
  },
  named: string,
  field: string,
): SkillFile & { readonly content: string } {
  const files = skill.files ?? [];
  const file = skillFileAt(files, named);
  if (file?.content !== undefined) return { ...file, content: file.content };
  const kept = files.filter(({ content }) => content !== undefined).map(({ path }) => path);
  const elsewhere = skill.skill_md_url === undefined ? '' : ` The original is at ${skill.skill_md_url}.`;
  const what =
    file === undefined ? `has no file ${showValue(named)}` : `has ${showValue(file.path)} without its content`;
  throw new DowserError('NOT_FOUND', `The skill '${skill.name}' ${what} here.`, {
    field,
    hint: `Stored: ${[SKILL_MANIFEST, ...kept].slice(0, 20).join(', ')}.${elsewhere}`,
  });
}

export const isManifest = (named: string): boolean => ['', SKILL_MANIFEST].includes(named.trim().replace(/^\.?\//, ''));
