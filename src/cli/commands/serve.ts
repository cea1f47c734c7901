import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger, type Logger } from '../../http/logger.ts';
import { startServer } from '../../http/server.ts';
import { DowserError, toDowserError } from '../../model/errors.ts';
import { dowserVersion, openRegistry } from '../../open.ts';
import type { Registry } from '../../registry/registry.ts';
import { type CommandContext, type CommandModule, type CommandOptions, exitCodeOf, settingsFor } from '../context.ts';
import { importFiles } from '../import-files.ts';
import { findServer, removeServerFile, writeServerFile } from '../server-file.ts';
import { formatCount } from '../terminal/progress.ts';

/** The same depth below the package from `src` and from `dist`. */
const EXAMPLES = fileURLToPath(new URL('../../../examples/catalogue/', import.meta.url));

async function run(context: CommandContext, _args: readonly string[], options: CommandOptions): Promise<number> {
  const { settings } = settingsFor(context, options);
  const { data_dir: dataDir } = settings;
  const version = dowserVersion();
  const logger = createLogger(settings.log_level);
  const running = await findServer(dataDir);
  if (running !== undefined) {
    throw new DowserError('STORE_LOCKED', `The data folder ${dataDir} is already served at ${running.url}.`, {
      hint: 'Use that server, or another folder with --data.',
    });
  }
  const registry = await openRegistry(settings, {
    onEmbedError: (thrown, retryInMs) =>
      logger.warn({ code: toDowserError(thrown).code, retry_in_ms: retryInMs }, 'embedding failed'),
  });
  const server = await startServer({ registry, version, logger, settings }).catch(async (thrown) => {
    await registry.close();
    throw thrown;
  });
  try {
    if (settings.engine !== 'memory') await writeServerFile(dataDir, server.url);
    if (options.example === true) await loadExamples(registry, logger);
    await greet(context, registry, server.url, version);
    logger.info({ url: server.url, data: dataDir, pid: process.pid }, 'listening');
    await stopped(context.signal);
    logger.info({ signal: context.signal.reason }, 'stopping');
  } finally {
    await server.close();
    await removeServerFile(dataDir);
  }
  // Being told to stop is how a service ends well; Ctrl-C is an interruption, as everywhere.
  return context.signal.reason === 'SIGTERM' ? 0 : exitCodeOf('SIGINT');
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
  out.write(`${bold(`Dowser ${version}`)} at ${bold(url)}\n`);
  out.write(dim(`  data      ${store.path ?? 'in memory'}, ${formatCount(index.entities)} entities\n`));
  out.write(dim(`  embedder  ${embedder.id ?? 'none'} (${embedder.state})\n`));
}

export const command: CommandModule = { run, graceful: true };
