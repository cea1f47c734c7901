import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KNOWN_MODELS, type KnownModel, type PinnedFile } from './known-models.ts';

/** In the folder of a model that a user has added: what `KnownModel` has, with the checksums of its files at that time. */
export const MANIFEST = 'model.json';

export interface Manifest
  extends Pick<KnownModel, 'name' | 'dimensions' | 'maxTokens' | 'language' | 'weights'>,
    Required<Pick<KnownModel, 'addedAs' | 'pooling' | 'prefixes'>> {
  readonly from?: KnownModel['from'];
  readonly license?: string | undefined;
  readonly files: readonly PinnedFile[];
}

export function toModel({ files, license = 'see its folder', ...facts }: Manifest): KnownModel {
  return { ...facts, license, packages: [{ package: '', folder: '', files }] };
}

/** The known models, and those that were added to the store. A folder without a readable manifest is no model. */
export function modelsIn(modelsDir: string): readonly KnownModel[] {
  return [
    ...KNOWN_MODELS,
    ...foldersIn(modelsDir).flatMap((folder) => readManifest(join(modelsDir, folder, MANIFEST))),
  ];
}

function foldersIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
      .filter((name) => !name.startsWith('.'))
      .sort();
  } catch {
    return [];
  }
}

function readManifest(file: string): readonly KnownModel[] {
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isManifest(manifest) ? [toModel(manifest)] : [];
  } catch {
    return [];
  }
}

/** Only Dowser writes manifests. A file of another version or of another program must still not stop a start. */
function isManifest(value: unknown): value is Manifest {
  const { name, addedAs, dimensions, maxTokens, pooling, prefixes, weights, files } = (value ??
    {}) as Partial<Manifest>;
  return (
    [name, addedAs, pooling, weights, prefixes?.query, prefixes?.document].every((text) => typeof text === 'string') &&
    [dimensions, maxTokens].every(Number.isInteger) &&
    Array.isArray(files) &&
    files.every(({ name: file, sha256 }) => typeof file === 'string' && typeof sha256 === 'string')
  );
}
