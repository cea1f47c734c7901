import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_ORIGIN, type Settings } from '../../config.ts';
import { DEFAULT_MODEL } from '../../embedders/known-models.ts';
import { createLogger, type Logger } from '../../http/logger.ts';
import { startServer } from '../../http/server.ts';
import { DowserError, toDowserError } from '../../model/errors.ts';
import { dowserVersion, openEmbedderFor, openRegistry } from '../../open.ts';
import type { Registry } from '../../registry/registry.ts';
import {
  type CommandContext,
  type CommandModule,
  type CommandOptions,
  exitCodeOf,
  settingsFor,
  warn,
} from '../context.ts';
import { findDataFolder } from '../data-folder.ts';
import { importFiles } from '../import-files.ts';
import { findServer, removeServerFile, writeServerFile } from '../server-file.ts';
import { formatCount, formatThings, withProgress } from '../terminal/progress.ts';

const WATCH_MS = 250;

/** The same depth below the package from `src` and from `dist`. */
const EXAMPLES = fileURLToPath(new URL('../../../examples/catalogue/', import.meta.url));

async function run(context: CommandContext, _args: readonly string[], options: CommandOptions): Promise<number> {
  const { settings, origins } = settingsFor(context, options);
  const { data_dir: dataDir } = settings;
  const version = dowserVersion();
  // Someone who watches wants the greeting and trouble; a program that collects logs wants every request.
  const quiet = context.err.isTTY && origins.log_level === DEFAULT_ORIGIN;
  const logger = createLogger(quiet ? 'warn' : settings.log_level);
  const running = await findServer(dataDir);
  if (running !== undefined) {
    throw new DowserError('STORE_LOCKED', `The data folder ${dataDir} is already served at ${running.url}.`, {
      hint: `Use that server (MCP clients at ${running.url}/mcp), or another folder with --data.`,
    });
  }
  if (settings.engine !== 'memory') await findDataFolder(dataDir);
  const embedder = await openEmbedderFor(settings, {
    onWarning: (error) => logger.warn({ reason: String(error) }, 'embeddings'),
  });
  await haveModel(context, settings);
  const registry = await openRegistry(settings, {
    embedder,
    onEmbedError: (thrown, retryInMs) =>
      logger.warn({ code: toDowserError(thrown).code, retry_in_ms: retryInMs }, 'embedding failed'),
  });
  const start = async () => {
    // Before the first question can come: an empty answer would be a poor welcome.
    if (options.example === true) await loadExamples(registry, logger);
    return startServer({ registry, version, logger, settings });
  };
  const server = await start().catch(async (thrown) => {
    await registry.close();
    throw thrown;
  });
  try {
    if (settings.engine !== 'memory') await writeServerFile(dataDir, server.url);
    // Loading takes a moment that the first question should not have to wait for; trouble shows in health and answers.
    embedder.warm().catch((error: unknown) => logger.warn({ code: toDowserError(error).code }, 'model not loaded'));
    await greet(context, registry, server.url, version);
    logger.info({ url: server.url, data: dataDir, pid: process.pid }, 'listening');
    await showEmbedding(context, registry);
    await stopped(context.signal);
    logger.info({ signal: context.signal.reason }, 'stopping');
  } finally {
    await server.close();
    await removeServerFile(dataDir);
  }
  // Being told to stop is how a service ends well; Ctrl-C is an interruption, as everywhere.
  return context.signal.reason === 'SIGTERM' ? 0 : exitCodeOf('SIGINT');
}

/** Gets the local model on the first run. Without it the server answers by keyword. */
async function haveModel(context: CommandContext, settings: Settings): Promise<void> {
  if (settings.embeddings_provider !== 'local') return;
  const { fetchModel } = await import('../fetch-model.ts');
  try {
    await fetchModel(context, settings.embeddings_model_name ?? DEFAULT_MODEL, settings.models_dir);
  } catch (thrown) {
    const { message, hint = '' } = toDowserError(thrown);
    warn(context, `${message} Searches are by keyword until it is there. ${hint}`.trim());
  }
}

/** How far the vectors are, for someone who watches the first start. Searches are answered meanwhile. */
async function showEmbedding({ err, signal }: CommandContext, registry: Registry): Promise<void> {
  if (!err.isTTY) return;
  const { index, embedder } = await registry.health();
  const total = index.missing_vectors;
  if (total === 0 || embedder.state === 'down' || embedder.state === 'off') return;
  await withProgress({ terminal: err, label: 'embedding', unit: 'texts' }, async (progress) => {
    for (let missing = total; missing > 0 && !signal.aborted; ) {
      progress.update(total - missing, total);
      await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
      const now = await registry.health();
      missing = now.embedder.state === 'down' ? 0 : now.index.missing_vectors;
    }
  });
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** On the first run only: an empty registry is filled, a used one is left alone. */
async function loadExamples(registry: Registry, logger: Logger): Promise<void> {
  if ((await registry.health()).index.entities > 0) return;
  const files = (await readdir(EXAMPLES)).filter((name) => name.endsWith('.jsonl')).sort();
  const { added, rejected } = await importFiles(
    files.map((name) => join(EXAMPLES, name)),
    { putMany: (entities) => registry.putMany(entities, { vectors: 'later' }) },
  );
  logger.info({ added, rejected }, 'example catalogue loaded');
}

async function greet({ out }: CommandContext, registry: Registry, url: string, version: string): Promise<void> {
  const { store, index, embedder } = await registry.health();
  const { bold, dim } = out.style;
  const vectors = index.missing_vectors > 0 ? `, ${formatThings(index.missing_vectors, 'vector')} to come` : '';
  out.write(`${bold(`Dowser ${version}`)} at ${bold(url)}\n`);
  out.write(dim(`  data      ${store.path ?? 'in memory'}, ${formatCount(index.entities)} entities${vectors}\n`));
  out.write(dim(`  embedder  ${embedder.id ?? 'none'} (${embedder.state})\n`));
  out.write(`  agents    ${bold(`claude mcp add --transport http dowser ${url}/mcp`)}\n`);
  out.write('\nTry, in another terminal:\n');
  out.write(`  curl -s ${url}/api/search/semantic -H 'content-type: application/json' \\\n`);
  out.write(`    -d '{"query": "find a tool that reads PDFs", "max_results": 3}'\n\n`);
}

export const command: CommandModule = { run, graceful: true };
