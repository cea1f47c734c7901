import type { Settings } from '../../config.ts';
import { toDowserError } from '../../model/errors/errors.ts';
import type { Backend } from '../context/backend.ts';
import { type CommandRun, warn } from '../context/context.ts';
import { formatThings, withProgress } from '../terminal/progress.ts';
import { oneLine } from '../terminal/text-width.ts';

export interface Vectors {
  readonly embedded: number;
  /** How many are still missing. Null if the server no longer answers. */
  readonly remaining: number | null;
  /** Why some could not be computed. */
  readonly problem: string | null;
}

/**
 * Embeds every text without a vector, and shows the progress. Null with `--lexical`, without an embedder and after Ctrl-C.
 * Never throws: the entities are stored, and their vectors can be computed later.
 */
export async function embedMissing(
  { err, signal, options }: CommandRun,
  { embeddings_provider: provider }: Pick<Settings, 'embeddings_provider'>,
  backend: Pick<Backend, 'embedPending' | 'health'>,
): Promise<Vectors | null> {
  if (options.lexical === true || provider === 'off' || signal.aborted) return null;
  let embedded = 0;
  try {
    const done = await withProgress({ terminal: err, label: 'embedding', unit: 'texts' }, (progress) =>
      backend.embedPending({
        signal,
        onProgress({ done, total }) {
          embedded = done;
          progress.update(done, total);
        },
      }),
    );
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

/** Says how many texts still have no vector, and why. JSON has it in the answer. */
export function warnUnembedded(run: CommandRun, vectors: Vectors | null): void {
  if (vectors === null || vectors.remaining === 0 || run.options.json === true) return;
  const { remaining, problem } = vectors;
  const texts = remaining === null ? 'Some texts may be' : formatThings(remaining, 'text');
  const why = problem === null ? '' : ` ${oneLine(problem)}`;
  warn(run, `${texts} without a vector yet: found by keyword only.${why}`);
}
