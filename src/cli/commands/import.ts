import { toDowserError } from '../../model/errors.ts';
import { type Backend, openBackend } from '../backend.ts';
import {
  bulkSettingsFor,
  type CommandContext,
  type CommandModule,
  type CommandOptions,
  exitCodeOf,
  printJson,
  warn,
} from '../context.ts';
import { type ImportSummary, importFiles } from '../import-files.ts';
import { formatCount, formatSeconds, formatThings, Progress } from '../terminal/progress.ts';
import { oneLine } from '../terminal/text-width.ts';

interface Vectors {
  readonly embedded: number;
  readonly remaining: number;
  /** Why some could not be computed. */
  readonly problem: string | null;
}

async function run(context: CommandContext, files: readonly string[], options: CommandOptions): Promise<number> {
  const { settings } = bulkSettingsFor(context, options);
  const started = performance.now();
  const backend = await openBackend(settings);
  try {
    const summary = await load(context, backend, files);
    const wantsVectors = options.lexical !== true && settings.embeddings_provider !== 'off';
    const vectors = wantsVectors && !context.signal.aborted ? await embed(context, backend) : null;
    const seconds = (performance.now() - started) / 1000;
    if (options.json === true) {
      const { byReason, firstRejections, ...counts } = summary;
      printJson(context, { ...counts, by_reason: byReason, first_rejections: firstRejections, vectors, seconds });
    } else report(context, summary, vectors, seconds);
    if (context.signal.aborted) return exitCodeOf(context.signal.reason);
    const nothing = summary.added + summary.updated === 0 && summary.rejected > 0;
    const flawed = summary.rejected > 0 || (vectors !== null && vectors.remaining > 0);
    return nothing || (options.strict === true && flawed) ? 1 : 0;
  } finally {
    await backend.close();
  }
}

async function load(context: CommandContext, backend: Backend, files: readonly string[]): Promise<ImportSummary> {
  const progress = new Progress({ terminal: context.err, label: 'importing', unit: 'lines' });
  try {
    return await importFiles(files, {
      putMany: (entities) => backend.putMany(entities),
      onProgress: ({ bytes, totalBytes, lines }) => progress.update(bytes, totalBytes, lines),
      signal: context.signal,
    });
  } finally {
    progress.clear();
  }
}

/** What is stored stays when the model is missing or fails: then the vectors wait, and that is all. */
async function embed(context: CommandContext, backend: Backend): Promise<Vectors> {
  const progress = new Progress({ terminal: context.err, label: 'embedding', unit: 'texts' });
  try {
    const { embedded, remaining } = await backend.embedPending({
      signal: context.signal,
      onProgress: ({ done, total }) => progress.update(done, total),
    });
    return { embedded, remaining, problem: null };
  } catch (thrown) {
    const { message, hint } = toDowserError(thrown);
    const { index } = await backend.health();
    return {
      embedded: 0,
      remaining: index.missing_vectors,
      problem: hint === undefined ? message : `${message} ${hint}`,
    };
  } finally {
    progress.clear();
  }
}

function report(context: CommandContext, summary: ImportSummary, vectors: Vectors | null, seconds: number): void {
  const { out } = context;
  const counts = `${formatCount(summary.added)} added, ${formatCount(summary.updated)} updated`;
  out.write(`${out.style.green(counts)}, ${formatCount(summary.rejected)} rejected in ${formatSeconds(seconds)}\n`);
  if (summary.duplicates > 0) {
    out.write(`${formatThings(summary.duplicates, 'line')} named an entity again: the later line won\n`);
  }
  if (vectors !== null) out.write(`${formatThings(vectors.embedded, 'vector')} computed\n`);
  if (summary.rejected > 0) {
    const reasons = Object.entries(summary.byReason).map(([code, count]) => `${formatCount(count)} ${code}`);
    warn(context, `${formatThings(summary.rejected, 'line')} rejected (${reasons.join(', ')})`);
    for (const { file, line, code, message } of summary.firstRejections) {
      context.err.write(`  ${file}:${line}  ${code}  ${oneLine(message)}\n`);
    }
    const more = summary.rejected - summary.firstRejections.length;
    if (more > 0) context.err.write(`  and ${formatCount(more)} more\n`);
  }
  if (vectors !== null && vectors.remaining > 0 && !context.signal.aborted) {
    const why = vectors.problem === null ? '' : ` ${oneLine(vectors.problem)}`;
    warn(context, `${formatThings(vectors.remaining, 'text')} without a vector yet: found by keyword only.${why}`);
  }
}

export const command: CommandModule = { run, graceful: true };
