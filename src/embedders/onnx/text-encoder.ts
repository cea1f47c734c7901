import { readFile } from 'node:fs/promises';
import type { EmbedOptions } from '../embedder.ts';
import type { StoredModel } from '../models/model-store.ts';
import { poolTokens } from './pool-tokens.ts';
import { openSession } from './session.ts';
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
export async function openTextEncoder(model: StoredModel, runtime: string): Promise<TextEncoder> {
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const [tokenizerJson, configJson] = await Promise.all(
    [model.tokenizer, model.tokenizerConfig].map((path) => readFile(path, 'utf8')),
  );
  const tokenizer = new Tokenizer(JSON.parse(tokenizerJson!), JSON.parse(configJson!));
  const session = await openSession(runtime, model.weights, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
  });
  const output = TOKEN_OUTPUTS.find((name) => session.outputNames.includes(name)) ?? session.outputNames[0];
  if (output === undefined) throw new Error(`The model ${model.name} has no output.`);
  const wantsTypes = session.inputNames.includes('token_type_ids');
  const tokenize = (text: string) => tokenizer.encode(text).ids;
  const { unknown, boundary } = emptyTokens(JSON.parse(tokenizerJson!));
  const isEmpty = (id: number) => id === unknown || id === boundary;

  return {
    async encode(text, as) {
      const idsWith = (prefix: string) => windowOf(`${prefix}${text}`, model.maxTokens, tokenize);
      const prefix = model.prefixes[as];
      const ids = idsWith(prefix);
      // Texts of unknown tokens only would all get the same vector, and match each other.
      if (unknown !== undefined && ids.includes(unknown)) {
        const own = prefix === '' ? ids : idsWith('');
        if (own.slice(1, -1).every(isEmpty)) return new Float32Array(model.dimensions);
      }
      const results = await session.run(
        {
          input_ids: BigInt64Array.from(ids, BigInt),
          attention_mask: new BigInt64Array(ids.length).fill(1n),
          ...(wantsTypes ? { token_type_ids: new BigInt64Array(ids.length) } : {}),
        },
        output,
      );
      return poolTokens(results, ids.length, model);
    },
    close: async () => session.close(),
  };
}

/** Models have other outputs besides, in any order. */
const TOKEN_OUTPUTS = ['last_hidden_state', 'token_embeddings'];

interface TokenizerModel {
  readonly unk_token?: string;
  /** Of a Unigram tokenizer, whose vocabulary is a list. */
  readonly unk_id?: number;
  readonly vocab?: Readonly<Record<string, number>> | readonly (readonly [piece: string, score: number])[];
}

/** The ids of the unknown token and of a piece that only starts a word; undefined where the tokenizer has none. */
function emptyTokens({ model = {} }: { readonly model?: TokenizerModel }) {
  const { unk_token, unk_id, vocab = {} } = model;
  const idOf = (piece: string) => {
    if (!Array.isArray(vocab)) return (vocab as Readonly<Record<string, number>>)[piece];
    const at = vocab.findIndex(([own]) => own === piece);
    return at < 0 ? undefined : at;
  };
  return { unknown: unk_id ?? (unk_token === undefined ? undefined : idOf(unk_token)), boundary: idOf('▁') };
}
