import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import type { Embedder, EmbedOptions } from '../embedder.ts';
import { normalize } from '../normalize.ts';

/**
 * A model of your own, for `openRegistry(settings, { embedder })`.
 *
 * ```js
 * const embedder = {
 *   id: 'acme/e5-large/1024',
 *   dimensions: 1024,
 *   embed: (texts, { as }) => myModel.encode(texts, { prefix: as === 'query' ? 'query: ' : 'passage: ' }),
 * };
 * ```
 */
export interface OwnEmbedder {
  /** Stored with the vectors. Change it when the model changes: everything is embedded again then. */
  readonly id: string;
  /** How many numbers a vector has. */
  readonly dimensions: number;
  /** The only language of the model, if it has only one: text in another script is then found by keyword only. */
  readonly language?: 'English' | undefined;
  /**
   * The vectors of the texts, in their order. The same text must give the same vector. They need not have the length 1. A query is
   * abandoned after 5 seconds: `signal` says when. If it throws twice in a row, searches use keywords only for a while.
   */
  embed(
    texts: readonly string[],
    options: Pick<EmbedOptions, 'as' | 'signal'>,
  ): Promise<readonly (Float32Array | readonly number[])[]>;
  /** Called when the registry is closed. */
  close?(): Promise<void>;
}

/** Checks what the model of a library user is and gives. Throws INVALID_SETTING. */
export function checkedEmbedder(own: OwnEmbedder): Embedder {
  const { id, dimensions, language } = own;
  if (typeof own.embed !== 'function') throw invalid('embed', own.embed, 'Give a function of texts.');
  if (typeof id !== 'string' || id === '' || id.length > 500)
    throw invalid('id', id, 'Name the model and its version, such as acme/e5-large/1024.');
  if (!Number.isSafeInteger(dimensions) || dimensions < 1 || dimensions > 65_536)
    throw invalid('dimensions', dimensions, 'Give the number of numbers in a vector, from 1 to 65536.');
  return {
    id,
    dimensions,
    ...(language === undefined ? {} : { language }),
    async embed(texts, { as, signal }) {
      if (texts.length === 0) return [];
      let vectors: unknown;
      try {
        vectors = await own.embed(texts, { as, ...(signal === undefined ? {} : { signal }) });
      } catch (thrown) {
        signal?.throwIfAborted();
        throw unavailable(id, thrown);
      }
      if (!Array.isArray(vectors) || vectors.length !== texts.length)
        throw rejected(
          id,
          `It gave ${Array.isArray(vectors) ? vectors.length : 'no'} vectors for ${texts.length} texts.`,
        );
      return vectors.map((vector: Float32Array | readonly number[]) => {
        const numbers = Float32Array.from(vector ?? []);
        if (numbers.length !== dimensions)
          throw rejected(id, `It gave a vector of ${numbers.length} numbers, not ${dimensions}.`);
        if (!numbers.every(Number.isFinite)) throw rejected(id, 'It gave a vector with a number that is not finite.');
        return normalize(numbers);
      });
    },
    close: async () => own.close?.(),
  };
}

const invalid = (field: string, value: unknown, hint: string): DowserError =>
  new DowserError('INVALID_SETTING', `The embedder has the ${field} ${showValue(value)}.`, {
    field: `embedder.${field}`,
    hint,
  });

function unavailable(id: string, cause: unknown): DowserError {
  if (cause instanceof DowserError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new DowserError('EMBEDDER_UNAVAILABLE', `The embedder ${id} failed: ${reason}`, {
    hint: 'Searches use keywords only until it works again.',
    cause,
  });
}

const rejected = (id: string, what: string): DowserError =>
  new DowserError('EMBEDDER_REJECTED', `The embedder ${id} cannot be used. ${what}`, {
    hint: 'Check its function `embed` and its `dimensions`.',
  });
