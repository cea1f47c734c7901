import { toDowserError } from '../../model/errors.ts';
import type { EmbedPendingOptions } from '../../registry/registry.ts';
import type { Backend } from '../backend.ts';
import { type CommandContext, warn } from '../context.ts';
import { formatThings, withProgress } from '../terminal/progress.ts';
import { oneLine } from '../terminal/text-width.ts';

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

/** The same with a progress bar. */
export function embedShown({ err, signal }: CommandContext, backend: Backend): Promise<Vectors> {
  return withProgress({ terminal: err, label: 'embedding', unit: 'texts' }, (progress) =>
    embedMissing(backend, { signal, onProgress: ({ done, total }) => progress.update(done, total) }),
  );
}

/** Says how many texts still have no vector, and why. */
export function warnUnembedded(context: CommandContext, { remaining, problem }: Vectors): void {
  if (remaining === 0) return;
  const texts = remaining === null ? 'Some texts may be' : formatThings(remaining, 'text');
  warn(
    context,
    `${texts} without a vector yet: found by keyword only.${problem === null ? '' : ` ${oneLine(problem)}`}`,
  );
}
