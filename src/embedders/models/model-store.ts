import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { DowserError } from '../../model/errors/errors.ts';
import { modelsIn } from './added-models.ts';
import {
  DEFAULT_MODEL,
  type KnownModel,
  knownModel,
  type Prefixes,
  TOKENIZER,
  TOKENIZER_CONFIG,
} from './known-models.ts';
import { modelCorrupt, modelMissing } from './model-errors.ts';
import { type FetchModelOptions, fetchModel, sweep } from './model-fetch.ts';
import { checkFolder, type FolderState } from './model-folder.ts';
import { copyShippedModel, shippedFolder } from './shipped-model.ts';

/** A model whose files are on disk and match their pinned checksums. */
export interface StoredModel {
  readonly name: string;
  readonly dimensions: number;
  readonly maxTokens: number;
  readonly pooling: 'mean' | 'cls';
  readonly prefixes: Prefixes;
  readonly dir: string;
  /** Paths of files. */
  readonly weights: string;
  readonly tokenizer: string;
  readonly tokenizerConfig: string;
}

export interface ModelStoreOptions {
  /** The store's folder. Default: `modelsDirectory()`. */
  readonly modelsDir?: string | undefined;
  /** Default: the known models, and those that the store has besides. */
  readonly models?: readonly KnownModel[] | undefined;
}

export interface EnsureModelOptions extends ModelStoreOptions, FetchModelOptions {
  /** False: never fetch, throw MODEL_MISSING. Default true. */
  readonly download?: boolean | undefined;
}

/** In the cache folder of the system: XDG, macOS or Windows. */
export function modelsDirectory(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  return join(cacheDirectory(env, platform, home), 'dowser', 'models');
}

function cacheDirectory(env: Readonly<Record<string, string | undefined>>, platform: NodeJS.Platform, home: string) {
  if (platform === 'win32') return env.LOCALAPPDATA ?? join(home, 'AppData', 'Local');
  if (platform === 'darwin') return join(home, 'Library', 'Caches');
  // The XDG specification says to ignore a relative path.
  const xdg = env.XDG_CACHE_HOME ?? '';
  return isAbsolute(xdg) ? xdg : join(home, '.cache');
}

/**
 * The files of a model. Fetches and checks them if they are missing or damaged; those that come with Dowser are copied. Any number of processes may call it at once:
 * each downloads to its own folder, and all use the files of the first to finish.
 *
 * Throws MODEL_DOWNLOAD_FAILED, MODEL_CORRUPT, MODEL_MISSING (with `download: false`), STORE_FULL, INVALID_SETTING for an
 * unknown name, and the signal's reason when aborted.
 */
export async function ensureModel(
  name: string = DEFAULT_MODEL,
  options: EnsureModelOptions = {},
): Promise<StoredModel> {
  const store = options.modelsDir ?? modelsDirectory();
  const model = findModel(name, options);
  let dir = join(store, model.name);
  const before = await checkFolder(dir, model);
  if (before.state !== 'good' && model.isShipped) {
    dir = await copyShippedModel(model, store);
  } else if (before.state !== 'good') {
    if (options.download === false || model.addedAs !== undefined)
      throw before.state === 'missing' ? modelMissing(model, dir) : modelCorrupt(before, model, dir);
    try {
      await fetchModel(model, store, options);
    } catch (error) {
      const couldNotRepair = before.state === 'corrupt' && error instanceof DowserError && error.code !== 'STORE_FULL';
      throw couldNotRepair ? modelCorrupt(before, model, dir, error) : error;
    }
    await checkFolder(dir, model);
  }
  await sweep(store);
  return storedModel(model, dir);
}

/** A model by its name. Throws INVALID_SETTING. */
export function findModel(name: string = DEFAULT_MODEL, { models, modelsDir }: ModelStoreOptions = {}): KnownModel {
  return knownModel(name, models ?? modelsIn(modelsDir ?? modelsDirectory()));
}

function storedModel(model: KnownModel, dir: string): StoredModel {
  return {
    name: model.name,
    dimensions: model.dimensions,
    maxTokens: model.maxTokens,
    pooling: model.pooling ?? 'mean',
    prefixes: model.prefixes ?? NO_PREFIXES,
    dir,
    weights: join(dir, model.weights),
    tokenizer: join(dir, TOKENIZER),
    tokenizerConfig: join(dir, TOKENIZER_CONFIG),
  };
}

const NO_PREFIXES: Prefixes = { query: '', document: '' };

export interface ModelListing {
  readonly model: KnownModel;
  readonly dir: string;
  readonly state: FolderState['state'];
  readonly bytes: number;
}

/** Every known model, and whether it is in the store. One that comes with Dowser is always there. */
export async function listModels(options: ModelStoreOptions = {}): Promise<readonly ModelListing[]> {
  const store = options.modelsDir ?? modelsDirectory();
  return Promise.all(
    (options.models ?? modelsIn(store)).map(async (model) => {
      const dir = join(store, model.name);
      const bytes = model.packages[0].files.reduce((sum, file) => sum + file.bytes, 0);
      const { state } = await checkFolder(dir, model);
      const shipped = state === 'missing' ? await shippedFolder(model) : null;
      return shipped === null ? { model, dir, state, bytes } : { model, dir: shipped, state: 'good', bytes };
    }),
  );
}
