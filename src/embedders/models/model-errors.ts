import { dirname } from 'node:path';
import { DowserError } from '../../model/errors/errors.ts';
import type { ModelPackage, PinnedFolder } from './known-models.ts';
import type { FolderState } from './model-folder.ts';

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** The disk is full, a quota is used up, or a file is too large, for Dowser or for npm. */
export function isDiskFull(error: unknown): boolean {
  const code = error instanceof DowserError ? error.details?.reason : codeOf(error);
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String(code));
}

const named = ({ kind, name }: PinnedFolder): string =>
  `${kind === 'runtime' ? 'model runtime' : 'embedding model'} ${name}`;

function modelHint(model: PinnedFolder, dir: string): string {
  if (model.isShipped) return 'It comes with Dowser: install Dowser again.';
  if (model.addedAs !== undefined) return `Add it again with \`dowser model use ${model.from ?? 'FOLDER'}\`.`;
  const names = model.packages[0].files.map((file) => file.name).join(', ');
  return `Run \`dowser model pull\` with network access, or copy ${names} to ${dir}.`;
}

export function modelMissing(model: PinnedFolder, dir: string): DowserError {
  return new DowserError('MODEL_MISSING', `The ${named(model)} is not in ${dir}.`, {
    hint: modelHint(model, dir),
  });
}

export function modelCorrupt(state: FolderState, model: PinnedFolder, dir: string, cause?: unknown): DowserError {
  const { file, expected, found } = { expected: 'a file', found: 'none', file: dir, ...state };
  const again = cause === undefined ? '' : ` Fetching it again failed: ${sentenceOf(cause)}`;
  return new DowserError('MODEL_CORRUPT', `${file} should have ${expected} but has ${found}.${again}`, {
    hint: modelHint(model, dir),
    cause,
  });
}

export function wrongBytes(modelPackage: ModelPackage, name: string, expected: string, found: string): DowserError {
  return new DowserError(
    'MODEL_CORRUPT',
    `${name} of ${modelPackage.package} should have ${expected} but has ${found}.`,
  );
}

function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** ENOENT and EEXIST: a folder that cannot be made, on a read-only disk or where a file is. */
const NOT_WRITABLE: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT', 'EEXIST']);

export function fetchFailed(error: unknown, model: PinnedFolder, dir: string): DowserError {
  if (isDiskFull(error)) {
    return new DowserError('STORE_FULL', `There is not enough disk space for the ${named(model)} in ${dir}.`, {
      hint: 'Free some space, or set DOWSER_MODELS to a folder on another disk.',
      cause: error,
    });
  }
  if (error instanceof DowserError && error.code === 'MODEL_CORRUPT') {
    return new DowserError('MODEL_CORRUPT', error.message, { hint: modelHint(model, dir), cause: error });
  }
  const code = String(codeOf(error));
  const isRefused = NOT_WRITABLE.has(code);
  const reason = isRefused ? `${dirname(dir)} is not a writable folder (${code}).` : sentenceOf(error);
  return new DowserError('MODEL_DOWNLOAD_FAILED', `The ${named(model)} could not be fetched: ${reason}`, {
    hint: isRefused
      ? 'Set DOWSER_MODELS to a writable folder that has the model or can take it.'
      : modelHint(model, dir),
    cause: error,
  });
}
