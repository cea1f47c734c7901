import { readFile } from 'node:fs/promises';
import { DowserError } from '../../model/errors.ts';
import type { EmbedOptions } from '../embedder.ts';
import type { StoredModel } from '../model-store.ts';
import { poolTokens } from './pool-tokens.ts';
import { windowOf } from './token-window.ts';

export interface TextEncoder {
  /** All zeros for a text of unknown tokens only. */
  encode(text: string, as: EmbedOptions['as']): Promise<Float32Array>;
  close(): Promise<void>;
}

/**
 * A sentence model on the ONNX runtime. It runs one text at a time: 8-bit models scale by the whole batch, so a text would
 * get different vectors in different batches. Batches are no faster on one thread.
 *
 * The graph optimization level is pinned because it changes the vectors: without fusion, numbers differ by up to 0.02.
 */
export async function openTextEncoder(model: StoredModel): Promise<TextEncoder> {
  const { InferenceSession, Tensor } = await loadRuntime();
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const [tokenizerJson, configJson] = await Promise.all(
    [model.tokenizer, model.tokenizerConfig].map((path) => readFile(path, 'utf8')),
  );
  const tokenizer = new Tokenizer(JSON.parse(tokenizerJson!), JSON.parse(configJson!));
  const session = await InferenceSession.create(model.weights, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
  });
  const output = TOKEN_OUTPUTS.find((name) => session.outputNames.includes(name)) ?? session.outputNames[0];
  if (output === undefined) throw new Error(`The model ${model.name} has no output.`);
  const wantsTypes = session.inputNames.includes('token_type_ids');
  const tokenize = (text: string) => tokenizer.encode(text).ids;
  const unknown = unknownToken(JSON.parse(tokenizerJson!));

  return {
    async encode(text, as) {
      const ids = windowOf(`${model.prefixes[as]}${text}`, model.maxTokens, tokenize);
      // Texts of unknown tokens only would all get the same vector, and match each other.
      if (ids.length > 2 && ids.slice(1, -1).every((id) => id === unknown)) return new Float32Array(model.dimensions);
      const shape = [1, ids.length];
      const results = await session.run({
        input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), shape),
        attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
        ...(wantsTypes ? { token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), shape) } : {}),
      });
      return poolTokens(results[output]!.data as Float32Array, ids.length, model);
    },
    close: () => session.release(),
  };
}

/** Models have other outputs besides, in any order. */
const TOKEN_OUTPUTS = ['last_hidden_state', 'token_embeddings'];

/**
 * An optional dependency: on Linux x64 its install script fetches CUDA libraries that Dowser does not use. Where that fails,
 * npm skips the package.
 */
async function loadRuntime(): Promise<typeof import('onnxruntime-node')> {
  try {
    return await import('onnxruntime-node');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new DowserError('EMBEDDER_UNAVAILABLE', 'The package onnxruntime-node is not installed', {
      hint: 'Run `npm install onnxruntime-node@1.30 --ignore-scripts` where Dowser is installed (with -g if that is global), or choose another EMBEDDINGS_PROVIDER.',
      cause,
    });
  }
}

/** The id of the unknown token; undefined where the tokenizer has none. */
function unknownToken(tokenizer: {
  model?: { unk_token?: string; vocab?: Readonly<Record<string, number>> };
}): number | undefined {
  const { unk_token, vocab } = tokenizer.model ?? {};
  return unk_token === undefined ? undefined : vocab?.[unk_token];
}
