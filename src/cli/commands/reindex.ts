import { DowserError } from '../../model/errors/errors.ts';
import type { MaintenanceTarget, Reindex, ReindexOptions } from '../../registry/contract/maintenance.ts';
import { type Backend, withBackend } from '../context/backend.ts';
import {
  bulkSettingsFor,
  type CommandContext,
  type CommandModule,
  type CommandOptions,
  type CommandRun,
  exitCodeOf,
  printJson,
  warn,
} from '../context/context.ts';
import { formatEntities, formatSeconds, formatThings, type Progress, withProgress } from '../terminal/progress.ts';
import { oneLine } from '../terminal/text-width.ts';

interface Outcome {
  readonly entities: number | null;
  readonly vectors: number;
  /** Units without a vector. */
  readonly remaining: number;
  readonly not_found: readonly string[];
}

/** Throws INVALID_REQUEST unless exactly one of paths, `--all` and `--missing` is given. */
function targetOf(paths: readonly string[], { all, missing }: CommandOptions): MaintenanceTarget | 'missing' {
  const ways = [paths.length > 0, all === true, missing === true].filter(Boolean).length;
  if (ways !== 1) {
    throw new DowserError('INVALID_REQUEST', 'Give exactly one of paths, --all and --missing.', {
      hint: '--all re-embeds everything, --missing embeds texts without a vector.',
    });
  }
  if (missing === true) return 'missing';
  return all === true ? { all: true } : { paths };
}

async function run(run: CommandRun): Promise<number> {
  const target = targetOf(run.args, run.options);
  const started = performance.now();
  const unit = target === 'missing' ? 'texts' : 'entities';
  const outcome = await withBackend(run, { settings: bulkSettingsFor(run), missing: 'refuse' }, (backend) =>
    withProgress({ terminal: run.err, label: 'indexing', unit }, (progress) => index(backend, target, run, progress)),
  );
  const seconds = (performance.now() - started) / 1000;
  if (run.options.json === true) printJson(run, { ...outcome, seconds });
  else report(run, outcome, seconds);
  if (run.signal.aborted) return exitCodeOf(run.signal.reason);
  return outcome.not_found.length > 0 || outcome.remaining > 0 ? 1 : 0;
}

async function index(
  backend: Backend,
  target: MaintenanceTarget | 'missing',
  { signal }: CommandContext,
  progress: Progress,
): Promise<Outcome> {
  const options: ReindexOptions = { signal, onProgress: ({ done, total }) => progress.update(done, total) };
  if (target === 'missing') {
    const { embedded, remaining } = await backend.embedPending(options);
    return { entities: null, vectors: embedded, remaining, not_found: [] };
  }
  const done = await backend.reindex(target, options).catch((thrown): Reindex => {
    // After Ctrl-C, the vectors computed so far are stored.
    if (signal.aborted) return { entities: 0, vectors: 0, not_found: [] };
    throw thrown;
  });
  return { ...done, remaining: (await backend.health()).index.missing_vectors };
}

function hintFor(paths: readonly string[]): string {
  const ofServer = paths.some((path) => path.includes('#')) ? ' For a tool of a server, name the server.' : '';
  return `Find a path with \`dowser search\`; it is case-sensitive.${ofServer}`;
}

function report(context: CommandContext, { entities, vectors, remaining, not_found }: Outcome, seconds: number): void {
  const { out, err } = context;
  const of = entities === null ? '' : ` of ${formatEntities(entities)}`;
  const foundNone = entities === 0 && not_found.length > 0;
  if (!foundNone)
    out.write(`${out.style.green(`${formatThings(vectors, 'vector')} computed`)}${of} in ${formatSeconds(seconds)}\n`);
  for (const path of not_found) warn(context, `Nothing is registered at ${oneLine(path)}.`);
  if (not_found.length > 0) err.write(`hint: ${hintFor(not_found)}\n`);
  if (context.signal.aborted)
    warn(context, 'Interrupted. The vectors so far are stored. Run the command again to continue.');
  else if (remaining > 0)
    warn(context, `${formatThings(remaining, 'text')} without a vector yet: found by keyword only.`);
}

export const command: CommandModule = { run, graceful: true };
