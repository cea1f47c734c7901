import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import type { EmbedOptions } from '../embedder.ts';
import { BadEmbeddingResponse, parseEmbeddings } from './embedding-response.ts';
import type { BatchLimits } from './text-batches.ts';

/** The request format of one family of models. Sizes are from Amazon's user guide for Bedrock. */
export interface BedrockFamily {
  readonly limits: BatchLimits;
  /** Concurrent calls for one list of texts. */
  readonly concurrency: number;
  body(texts: readonly string[], as: EmbedOptions['as']): unknown;
  /** Throws BadEmbeddingResponse. */
  parse(answer: unknown, count: number): readonly Float32Array[];
}

/** Titan takes one text per call. More concurrent calls would only reach the account's limit sooner. */
const TITAN_CALLS = 4;
const TITAN_LIMITS: BatchLimits = { texts: 1, chars: 50_000, textChars: 50_000 };
const COHERE_LIMITS: BatchLimits = { texts: 96, chars: 96 * 2048, textChars: 2048 };

/** The name may have the prefix of an inference profile (`us.`) or of an ARN. Throws INVALID_SETTING. */
export function bedrockFamily(model: string, dimensions: number): BedrockFamily {
  if (/titan-embed-text-v2/.test(model)) return titan(dimensions, { dimensions, normalize: true });
  if (/titan-embed-(text-v1|g1-text)/.test(model)) return titan(dimensions, {});
  const embed = model.indexOf('cohere.embed-');
  if (embed !== -1 && model.includes('-v3', embed)) return cohere(dimensions);
  throw new DowserError('INVALID_SETTING', `Unsupported Bedrock model ${showValue(model)}.`, {
    field: 'embeddings_model_name',
    hint: 'Use amazon.titan-embed-text-v2:0, amazon.titan-embed-text-v1, cohere.embed-english-v3 or cohere.embed-multilingual-v3.',
  });
}

function titan(dimensions: number, extras: object): BedrockFamily {
  return {
    limits: TITAN_LIMITS,
    concurrency: TITAN_CALLS,
    body: ([inputText]) => ({ inputText, ...extras }),
    parse: (answer) => parseEmbeddings([fieldOf(answer, 'embedding')], { format: 'raw_array', count: 1, dimensions }),
  };
}

function cohere(dimensions: number): BedrockFamily {
  return {
    limits: COHERE_LIMITS,
    concurrency: 1,
    body: (texts, as) => ({
      texts,
      input_type: as === 'query' ? 'search_query' : 'search_document',
      truncate: 'END',
    }),
    parse(answer, count) {
      const embeddings = fieldOf(answer, 'embeddings');
      // With several embedding types, each has its own list.
      const list = Array.isArray(embeddings) ? embeddings : fieldOf(embeddings, 'float');
      return parseEmbeddings(list, { format: 'raw_array', count, dimensions });
    },
  };
}

function fieldOf(answer: unknown, name: string): unknown {
  const value = (answer as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  if (value === undefined || value === null) throw new BadEmbeddingResponse(`it has no '${name}'`);
  return value;
}
