import { DowserError } from '../../model/errors.ts';
import type { MaintenanceTarget, Reindex, ReindexOptions } from '../../registry/vectors/maintenance.ts';
import { type Backend, openExisting } from '../backend.ts';
import {
  bulkSettingsFor,
  type CommandContext,
  type CommandModule,
  type CommandOptions,
  exitCodeOf,
  printJson,
  warn,
} from '../context.ts';
import { formatEntities, formatSeconds, formatThings, type Progress, withProgress } from '../terminal/progress.ts';
import { oneLine } from '../terminal/text-width.ts';

interface Outcome {
  readonly entities: number | null;
  readonly vectors: number;
  /** Units that still wait for a vector. */
  readonly remaining: number;
  readonly not_found: readonly string[];
}

/** What to do, of the three ways to say it. Throws INVALID_REQUEST unless it is said in exactly one. */
function targetOf(paths: readonly string[], { all, missing }: CommandOptions): MaintenanceTarget | 'missing' {
  const ways = [paths.length > 0, all === true, missing === true].filter(Boolean).length;
  if (ways !== 1) {
    const said = ways === 0 ? 'Say what to index again' : 'Say in one way only what to index again';
    throw new DowserError('INVALID_REQUEST', `${said}.`, {
      hint: 'Name paths, or give --all for everything or --missing for what has no vector yet.',
    });
  }
  if (missing === true) return 'missing';
  return all === true ? { all: true } : { paths };
}

async function run(context: CommandContext, paths: readonly string[], options: CommandOptions): Promise<number> {
  const target = targetOf(paths, options);
  const { settings } = bulkSettingsFor(context, options);
  const started = performance.now();
  const backend = await openExisting(settings);
  const unit = target === 'missing' ? 'texts' : 'entities';
  const outcome = await withProgress({ terminal: context.err, label: 'indexing', unit }, (progress) =>
    index(backend, target, context, progress),
  ).finally(() => backend.close());
  const seconds = (performance.now() - started) / 1000;
  if (options.json === true) printJson(context, { ...outcome, seconds });
  else report(context, outcome, seconds);
  if (context.signal.aborted) return exitCodeOf(context.signal.reason);
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
  const done = await untilStopped(backend.reindex(target, options), signal);
  return { ...done, remaining: (await backend.health()).index.missing_vectors };
}

/** Ctrl-C in the middle is no failure: what was computed by then is stored. */
async function untilStopped(work: Promise<Reindex>, signal: AbortSignal): Promise<Reindex> {
  try {
    return await work;
  } catch (thrown) {
    if (signal.aborted) return { entities: 0, vectors: 0, not_found: [] };
    throw thrown;
  }
}

function hintFor(paths: readonly string[]): string {
  const ofServer = paths.some((path) => path.includes('#')) ? ' Tools of a server have their vectors with it.' : '';
  return `Find a path with \`dowser search\`; it is case-sensitive.${ofServer}`;
}

function report(context: CommandContext, { entities, vectors, remaining, not_found }: Outcome, seconds: number): void {
  const { out, err } = context;
  const of = entities === null ? '' : ` of ${formatEntities(entities)}`;
  const isAllAstray = entities === 0 && not_found.length > 0;
  if (!isAllAstray)
    out.write(`${out.style.green(`${formatThings(vectors, 'vector')} computed`)}${of} in ${formatSeconds(seconds)}\n`);
  for (const path of not_found) warn(context, `Nothing is registered at ${oneLine(path)}`);
  if (not_found.length > 0) err.write(`hint: ${hintFor(not_found)}\n`);
  if (context.signal.aborted) warn(context, 'Interrupted. What was computed is stored; run it again to go on.');
  else if (remaining > 0)
    warn(context, `${formatThings(remaining, 'text')} without a vector yet: found by keyword only`);
}

export const command: CommandModule = { run, graceful: true };
