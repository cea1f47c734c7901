import { DowserError } from '../../model/errors.ts';
import { openRegistry } from '../../open.ts';
import type { MaintenanceTarget, Reindex } from '../../registry/vectors/maintenance.ts';
import {
  bulkSettingsFor,
  type CommandContext,
  type CommandModule,
  type CommandOptions,
  exitCodeOf,
  printJson,
  warn,
} from '../context.ts';
import { needDataFolder } from '../data-folder.ts';
import { type FoundServer, findServer, LONG_CALL } from '../server-file.ts';
import { formatEntities, formatSeconds, formatThings, type Progress, withProgress } from '../terminal/progress.ts';
import { oneLine } from '../terminal/text-width.ts';

/** How often a server is asked how far it is. */
const WATCH_MS = 500;

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
  const server = await findServer(settings.data_dir);
  if (server === undefined) await needDataFolder(settings);
  const started = performance.now();
  const outcome = await withProgress(
    { terminal: context.err, label: 'indexing', unit: target === 'missing' ? 'texts' : 'entities' },
    (progress) =>
      server === undefined
        ? here(() => openRegistry(settings, { background: false }), target, context, progress)
        : there(server, target, context, progress),
  );
  const seconds = (performance.now() - started) / 1000;
  if (options.json === true) printJson(context, { ...outcome, seconds });
  else report(context, outcome, seconds);
  if (context.signal.aborted) return exitCodeOf(context.signal.reason);
  return outcome.not_found.length > 0 || outcome.remaining > 0 ? 1 : 0;
}

async function here(
  open: () => ReturnType<typeof openRegistry>,
  target: MaintenanceTarget | 'missing',
  { signal }: CommandContext,
  progress: Progress,
): Promise<Outcome> {
  const registry = await open();
  const onProgress = ({ done, total }: { readonly done: number; readonly total: number }) =>
    progress.update(done, total);
  try {
    if (target === 'missing') {
      const { embedded, remaining } = await registry.embedPending({ onProgress, signal });
      return { entities: null, vectors: embedded, remaining, not_found: [] };
    }
    const done = await untilStopped(registry.reindex(target, { onProgress, signal }), signal);
    return { ...done, remaining: (await registry.health()).index.missing_vectors };
  } finally {
    await registry.close();
  }
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

/** A server has its queue at work on what is missing, and is only watched. */
async function there(
  { client }: FoundServer,
  target: MaintenanceTarget | 'missing',
  { signal }: CommandContext,
  progress: Progress,
): Promise<Outcome> {
  const before = await client.health();
  if (target !== 'missing') {
    const body = 'all' in target ? target : { paths: [...target.paths] };
    const answer = await client.reindex({ body }, { ...LONG_CALL, signal });
    if ('entities' in answer) return { ...answer, remaining: (await client.health()).index.missing_vectors };
  }
  const total = target === 'missing' ? before.index.missing_vectors : before.index.entities;
  for (;;) {
    const { index, embedder } = await client.health();
    const { done } = embedder.reindexing ?? { done: total };
    const isDown = embedder.state === 'down' || embedder.state === 'off';
    const isOver = target === 'missing' ? index.missing_vectors === 0 : embedder.reindexing === undefined;
    progress.update(target === 'missing' ? total - index.missing_vectors : done, total);
    if (isOver || isDown || signal.aborted) {
      const vectors = target === 'missing' ? Math.max(0, total - index.missing_vectors) : index.vectors;
      const entities = target === 'missing' ? null : index.entities;
      return { entities, vectors, remaining: index.missing_vectors, not_found: [] };
    }
    await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
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
