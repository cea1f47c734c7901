import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { MANIFEST, type Manifest, toModel } from '../models/added-models.ts';
import {
  type KnownModel,
  type PinnedFile,
  type Prefixes,
  TOKENIZER,
  TOKENIZER_CONFIG,
} from '../models/known-models.ts';
import { makeIncoming, moveIntoPlace } from '../models/model-fetch.ts';
import { modelsDirectory } from '../models/model-store.ts';
import { openOnnxEmbedder } from '../onnx/onnx-embedder.ts';

export interface AddModelOptions {
  readonly modelsDir?: string | undefined;
  /** The only language of the model. Default: many. */
  readonly language?: 'English' | undefined;
  /** What `dowser model use` was given, if not the folder. */
  readonly from?: string | undefined;
  readonly license?: string | undefined;
}

/** The 8-bit weights first: they are a quarter of the size, and about as good. */
export const WEIGHTS = ['onnx/model_quantized.onnx', 'onnx/model.onnx', 'model_quantized.onnx', 'model.onnx'] as const;
const CONFIG = 'config.json';
const HINT = `A sentence model in the ONNX format has ${CONFIG}, ${TOKENIZER}, ${TOKENIZER_CONFIG}, and ${WEIGHTS[0]} or ${WEIGHTS[1]}.`;

/** Longer inputs cost memory and time, and few models gain from them. */
const MAX_TOKENS = 512;

/**
 * Copies a model from a folder into the store, with the checksums of its files, and runs it once. The name gets a digest of
 * the weights, so that another model of the same name never passes for this one. Throws INVALID_REQUEST.
 */
export async function addModel(folder: string, options: AddModelOptions = {}): Promise<KnownModel> {
  const { modelsDir, language, from, license } = options;
  const source = resolve(folder);
  const store = modelsDir ?? modelsDirectory();
  const { files: needed, ...facts } = await readFacts(source);
  const files = await Promise.all(needed.map((name) => pin(source, name)));
  const addedAs = basename(source);
  const digest = files.find(({ name }) => name === facts.weights)!.sha256.slice(0, 8);
  const name = `${addedAs}-${digest}`;
  const manifest: Manifest = { name, addedAs, from, license, language, ...facts, files };
  const model = toModel(manifest);
  const incoming = await makeIncoming(store);
  try {
    const copy = join(incoming, name);
    for (const file of needed) {
      await mkdir(dirname(join(copy, file)), { recursive: true });
      await copyFile(join(source, file), join(copy, file));
    }
    await writeFile(join(copy, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    await tryModel(model, incoming, store, source);
    await moveIntoPlace(copy, join(store, name), model);
  } finally {
    await rm(incoming, { recursive: true, force: true }).catch(() => undefined);
  }
  return model;
}

async function readFacts(source: string) {
  const { hidden_size: dimensions } = await readJson(source, CONFIG);
  if (!isCount(dimensions)) throw unusable(source, `has no 'hidden_size' in ${CONFIG}`);
  const { model_max_length: longest } = await readJson(source, TOKENIZER_CONFIG);
  const weights = await firstOf(source, WEIGHTS);
  const needed = [weights, TOKENIZER, TOKENIZER_CONFIG];
  if (await isFile(source, `${weights}_data`)) needed.push(`${weights}_data`);
  if (!(await isFile(source, TOKENIZER))) throw unusable(source, `has no ${TOKENIZER}`);
  return {
    dimensions,
    maxTokens: isCount(longest) ? Math.min(MAX_TOKENS, longest) : MAX_TOKENS,
    pooling: await readPooling(source),
    prefixes: await readPrefixes(source),
    weights,
    files: needed,
  };
}

const POOLING = '1_Pooling/config.json';

async function readPooling(source: string): Promise<Manifest['pooling']> {
  if (!(await isFile(source, POOLING))) return 'mean';
  const pooling = await readJson(source, POOLING);
  if (pooling.pooling_mode_mean_tokens === true) return 'mean';
  if (pooling.pooling_mode_cls_token === true) return 'cls';
  throw unusable(source, `pools its tokens in a way that Dowser does not know (${POOLING})`);
}

const PROMPTS = 'config_sentence_transformers.json';

/** Besides the weights. Some are optional. */
export const MODEL_FILES: readonly string[] = [CONFIG, TOKENIZER, TOKENIZER_CONFIG, POOLING, PROMPTS];

/** Models of the E5 family say in their papers, not in their files, what they expect. */
async function readPrefixes(source: string): Promise<Prefixes> {
  const { prompts } = (await isFile(source, PROMPTS)) ? await readJson(source, PROMPTS) : {};
  const { query, document, passage } = isJsonObject(prompts) ? prompts : {};
  const given = document ?? passage;
  if (typeof query === 'string' || typeof given === 'string')
    return { query: typeof query === 'string' ? query : '', document: typeof given === 'string' ? given : '' };
  return /(^|[-_])e5([-_]|$)/i.test(basename(source))
    ? { query: 'query: ', document: 'passage: ' }
    : { query: '', document: '' };
}

const TRIED = 'a sentence';

async function tryModel(model: KnownModel, modelsDir: string, runtimesDir: string, source: string): Promise<void> {
  const embedder = openOnnxEmbedder({ model: model.name, models: [model], modelsDir, runtimesDir });
  let vector: Float32Array | undefined;
  try {
    [vector] = await embedder.embed([TRIED], { as: 'document' });
  } catch (thrown) {
    throw unusable(source, `does not run: ${toDowserError(thrown).message}`);
  } finally {
    await embedder.close();
  }
  if (vector === undefined || vector.every((value) => value === 0) || !vector.every(Number.isFinite)) {
    throw unusable(source, `has a model without a vector for '${TRIED}'`);
  }
}

async function readJson(source: string, name: string): Promise<JsonObject> {
  if (!(await isFile(source, name))) throw unusable(source, `has no ${name}`);
  const text = await readFile(join(source, name), 'utf8');
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw unusable(source, `has a ${name} that is not a JSON object`);
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

async function firstOf(source: string, names: readonly string[]): Promise<string> {
  for (const name of names) if (await isFile(source, name)) return name;
  throw unusable(source, `has no ${names[0]} and no ${names[1]}`);
}

const isFile = (source: string, name: string): Promise<boolean> =>
  stat(join(source, name)).then(
    (found) => found.isFile(),
    () => false,
  );

async function pin(source: string, name: string): Promise<PinnedFile> {
  const path = join(source, name);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { name, bytes: (await stat(path)).size, sha256: hash.digest('hex') };
}

function unusable(source: string, problem: string): DowserError {
  return new DowserError('INVALID_REQUEST', `The folder ${source} ${problem}.`, { hint: HINT });
}
