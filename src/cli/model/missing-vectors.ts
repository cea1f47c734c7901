import { toDowserError } from '../../model/errors.ts';
import type { EmbedPendingOptions } from '../../registry/registry.ts';
import type { Backend } from '../backend.ts';

export interface Vectors {
  readonly embedded: number;
  /** How many are still missing; null when nobody is left to ask. */
  readonly remaining: number | null;
  /** Why some could not be computed. */
  readonly problem: string | null;
}

/**
 * Embeds what has no vector yet. Never throws: what is stored stays when the model is missing or fails or its server
 * goes away, and then the vectors wait, and that is all.
 */
export async function embedMissing(
  backend: Pick<Backend, 'embedPending' | 'health'>,
  { onProgress, ...options }: EmbedPendingOptions,
): Promise<Vectors> {
  let embedded = 0;
  try {
    const done = await backend.embedPending({
      ...options,
      onProgress(progress) {
        embedded = progress.done;
        onProgress?.(progress);
      },
    });
    return { ...done, problem: null };
  } catch (thrown) {
    const { message, ownHint: hint } = toDowserError(thrown);
    const remaining = await backend.health().then(
      ({ index }) => index.missing_vectors,
      () => null,
    );
    return { embedded, remaining, problem: hint === undefined ? message : `${message} ${hint}` };
  }
}
