import { join } from 'node:path';
import { DowserError } from '../../model/errors/errors.ts';
import type { PinnedFile, PinnedFolder } from '../models/known-models.ts';
import { modelMissing } from '../models/model-errors.ts';
import { type FetchModelOptions, fetchModel, sweep } from '../models/model-fetch.ts';
import { checkFolder, type FolderState } from '../models/model-folder.ts';
import { modelsDirectory } from '../models/model-store.ts';

/**
 * ONNX Runtime, which runs the local models: a native library for each system. It is fetched beside the models and checked
 * like them. As a dependency it would be 288 MB, because its package has the libraries of every system, and on Linux npm
 * would leave it out without a word where its install script cannot download CUDA.
 */
const PACKAGE = 'onnxruntime-node@1.30.0';
/** The file that Node loads. It finds the others beside it. */
const BINDING = 'onnxruntime_binding.node';

const file = (name: string, bytes: number, sha256: string): PinnedFile => ({ name, bytes, sha256 });

/** By `process.platform` and `process.arch`. */
const BUILDS: Readonly<Record<string, readonly PinnedFile[]>> = {
  'darwin-arm64': [
    file(BINDING, 266_840, 'a3f993357759b06ae2411f70af60f5e041d04521ea7f0d12cb7546e411a527dd'),
    file('libonnxruntime.1.dylib', 44_589_928, '685d2be5dba1309c89d3a5324b7fd06a5c42f1a61bfea32d14c4cc28d072121d'),
  ],
  'linux-arm64': [
    file(BINDING, 394_648, 'afec78dc11d38dc81605b068cefe1fc73ffe77ca240c15468aa40786150beac8'),
    file('libonnxruntime.so.1', 25_135_496, '1f549d46250b005580b597f4164984aaf75b3bcb9f3aeb07c7f8a8fe60b23c76'),
  ],
  'linux-x64': [
    file(BINDING, 389_488, 'ccdc60b981d93a490cf9513d3f583547252b6e285b72988a96a494f2f006c7b8'),
    file('libonnxruntime.so.1', 45_828_512, 'ffb75a925ba05e47b235bb66e3e3911714a80b328a9c9425539feb204aa32a23'),
  ],
  'win32-arm64': [
    file(BINDING, 422_200, 'd8179924f15c2d3c1c8a75c50adf1671ec28c7f1cb0da9fc28b17daa02c5ecf5'),
    file('onnxruntime.dll', 29_815_136, '6c3a2abf5c6aca11c48a0d338a91af309f2266f25ce2e4084e6a87bbcb0fbfd0'),
    file('DirectML.dll', 18_444_600, 'aaf72a9d55aa123e0708d957d30dd4fbeb7a2e335ec6257ed5ff4261a402b9ee'),
    file('dxcompiler.dll', 22_285_624, '442a995492579e1048cf1f05a86ab00f476c46b7f9d0996e588884040a543bbe'),
    file('dxil.dll', 1_769_784, '859b6d638c5ca3df39e9cab2a602cb0f63d0e63d750f84bb2a9ec9031319b73e'),
  ],
  'win32-x64': [
    file(BINDING, 298_848, 'ddd428464069b84414d34ec1796c7c2a69c33a976e4b0390692629e394f92fa1'),
    file('onnxruntime.dll', 28_754_232, '508c362f5673483dd3a086379c392795b2e42d10d5e6f3f90ebd7ac21c97af67'),
    file('DirectML.dll', 18_527_584, '234e8898778cdec88d3cb0539508273494082812c968699f3de665a018971625'),
    file('dxcompiler.dll', 17_986_360, '593d42df78c7f9cbd97c1374af107cfe20985759f98b77afc1448fe41ee3cc76'),
    file('dxil.dll', 1_508_664, 'cf9a3981263f8ec30c9905d136eeaf4b4573209c602198671b958ec86905dea8'),
  ],
};

/** The runtime of a system. Throws EMBEDDER_UNAVAILABLE if there is none for it. */
export function runtimeFor(platform: NodeJS.Platform = process.platform, arch: string = process.arch): PinnedFolder {
  const system = `${platform}-${arch}`;
  const files = BUILDS[system];
  if (files === undefined) {
    throw new DowserError('EMBEDDER_UNAVAILABLE', `ONNX Runtime has no build for ${system}.`, {
      hint: `Local models run on ${Object.keys(BUILDS).join(', ')}. Here, choose another EMBEDDINGS_PROVIDER (openai, ollama, none).`,
    });
  }
  return {
    name: `onnxruntime-${PACKAGE.slice(PACKAGE.indexOf('@') + 1)}-${system}`,
    kind: 'runtime',
    packages: [{ package: PACKAGE, folder: `package/bin/napi-v6/${platform}/${arch}`, files }],
  };
}

export interface RuntimeOptions extends FetchModelOptions {
  /** The store of the models. Default: `modelsDirectory()`. */
  readonly modelsDir?: string | undefined;
  /** Also use the runtime of the usual store. False for a store to copy to another machine. Default true. */
  readonly shared?: boolean | undefined;
  /** False: never fetch, throw MODEL_MISSING. Default true. */
  readonly download?: boolean | undefined;
  /** Default: the runtime of this system. */
  readonly runtime?: PinnedFolder | undefined;
}

export interface RuntimeListing {
  readonly name: string;
  readonly dir: string;
  readonly state: FolderState['state'];
  readonly bytes: number;
}

/** Where the runtime is, or belongs. Throws EMBEDDER_UNAVAILABLE if there is none for this system. */
export async function findRuntime({
  modelsDir,
  runtime = runtimeFor(),
  shared = true,
}: RuntimeOptions = {}): Promise<RuntimeListing> {
  const { name, packages } = runtime;
  const bytes = packages[0].files.reduce((sum, { bytes: size }) => sum + size, 0);
  const stores = [modelsDir ?? modelsDirectory(), ...(shared ? [modelsDirectory()] : [])];
  let first: RuntimeListing | undefined;
  for (const store of stores) {
    const dir = join(store, name);
    const { state } = await checkFolder(dir, runtime);
    const found = { name, dir, state, bytes };
    if (state === 'good') return found;
    first ??= found;
  }
  return first!;
}

/**
 * The path of the runtime's file for Node. Fetches and checks the runtime if it is missing or damaged, as `ensureModel` does,
 * and throws the same errors.
 */
export async function ensureRuntime(options: RuntimeOptions = {}): Promise<string> {
  const { modelsDir = modelsDirectory(), runtime = runtimeFor(), download = true } = options;
  const found = await findRuntime(options);
  if (found.state !== 'good') {
    if (!download) throw modelMissing(runtime, found.dir);
    await fetchModel(runtime, modelsDir, options);
    await checkFolder(found.dir, runtime);
    await sweep(modelsDir);
  }
  return join(found.dir, BINDING);
}
