import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { showValue } from '../../model/parse/parse.ts';
import { normalize } from '../normalize.ts';

/**
 * `openai`: `{data: [{index, embedding}]}`. `raw_array`: a bare list of vectors, or one under `embeddings`, `data` or
 * `vectors`.
 */
const RESPONSE_FORMATS = ['openai', 'raw_array'] as const;
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number];

/** The answer of an endpoint is not usable. The message says why. */
export class BadEmbeddingResponse extends Error {
  override readonly name = 'BadEmbeddingResponse';
}

const RAW_KEYS = ['embeddings', 'data', 'vectors'];

function listIn(body: unknown, format: ResponseFormat, count: number): readonly unknown[] {
  if (format === 'openai') {
    if (isJsonObject(body) && Array.isArray(body.data)) return inIndexOrder(body.data);
    throw new BadEmbeddingResponse("it has no list 'data'");
  }
  const list = Array.isArray(body)
    ? body
    : isJsonObject(body)
      ? RAW_KEYS.map((key) => body[key]).find(Array.isArray)
      : undefined;
  if (list === undefined) throw new BadEmbeddingResponse(`it is not a list and has none under ${RAW_KEYS.join(', ')}`);
  // Some endpoints answer one text with a bare vector.
  return count === 1 && list.length > 0 && list.every((item) => typeof item === 'number') ? [list] : list;
}

/** Endpoints may answer out of order. Without an index, the order of the answer counts. */
function inIndexOrder(data: readonly unknown[]): readonly unknown[] {
  const items = data.filter(isJsonObject);
  if (items.length !== data.length) throw new BadEmbeddingResponse("an item of 'data' is not an object");
  if (items.every((item) => item.index === undefined)) return items.map((item) => item.embedding);
  const ordered = new Array<unknown>(items.length);
  const seen = new Set<unknown>();
  for (const { index, embedding } of items) {
    if (typeof index !== 'number' || !(index in items) || seen.has(index)) {
      throw new BadEmbeddingResponse(`its indexes are not 0 to ${items.length - 1}`);
    }
    seen.add(index);
    ordered[index] = embedding;
  }
  return ordered;
}

function toVector(item: unknown, dimensions: number): Float32Array {
  const numbers = isJsonObject(item) ? item.embedding : item;
  if (!Array.isArray(numbers) || !numbers.every((x) => typeof x === 'number' && Number.isFinite(x))) {
    throw new BadEmbeddingResponse('a vector is not a list of numbers');
  }
  if (numbers.length !== dimensions) {
    throw new BadEmbeddingResponse(`a vector has ${numbers.length} numbers, expected ${dimensions}`);
  }
  const vector = normalize(Float32Array.from(numbers));
  if (vector.every((x) => x === 0)) throw new BadEmbeddingResponse('a vector is all zeros');
  return vector;
}

/** The vectors of an answer, in the order of the texts, each of length 1. Throws BadEmbeddingResponse. */
export function parseEmbeddings(
  body: unknown,
  expected: { readonly format: ResponseFormat; readonly count: number; readonly dimensions: number },
): readonly Float32Array[] {
  const list = listIn(body, expected.format, expected.count);
  if (list.length !== expected.count) {
    throw new BadEmbeddingResponse(`it has ${list.length} vectors for ${expected.count} texts`);
  }
  return list.map((item) => toVector(item, expected.dimensions));
}

/**
 * Parses an answer with `read`. Throws EMBEDDER_REJECTED for an unusable one: a retry would get the same answer.
 */
export function parseAnswer<T>(text: string, from: string, read: (body: unknown) => T): T {
  try {
    return read(jsonOf(text));
  } catch (cause) {
    if (!(cause instanceof BadEmbeddingResponse)) throw cause;
    const message = `The embedding endpoint ${from} sent an unusable answer: ${cause.message}.`;
    const hint = 'Check EMBEDDINGS_API_BASE, EMBEDDINGS_DIMENSIONS and EMBEDDINGS_RESPONSE_FORMAT.';
    throw new DowserError('EMBEDDER_REJECTED', message, { hint, cause });
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadEmbeddingResponse(`it is not JSON and begins with ${showValue(text.slice(0, 60))}`);
  }
}
