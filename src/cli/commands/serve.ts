import { DEFAULT_ORIGIN, type LoadedSettings, type Settings } from '../../config.ts';
import type { Logger } from '../../http/logger.ts';
import { startServer } from '../../http/server.ts';
import { DowserError, toDowserError } from '../../model/errors.ts';
import { dowserVersion, openRegistry } from '../../open.ts';
import type { Registry } from '../../registry/registry.ts';
import { type CommandContext, type CommandModule, type CommandOptions, exitCodeOf, settingsFor } from '../context.ts';
import { findDataFolder } from '../data-folder.ts';
import { loggerFor } from '../logger-for.ts';
import { openServedEmbedder } from '../model/open-server-embedder.ts';
import { watchVectors } from '../model/vector-watch.ts';
import { type FoundServer, findServer, removeServerFile, writeServerFile } from '../server-file.ts';
import { hadExamples, loadExamples, rememberExamples } from '../sources/examples.ts';
import { type GreetingOptions, greeting } from '../terminal/greeting.ts';

function inUse(dataDir: string, { url, pid, command }: FoundServer): DowserError {
  if (command === 'mcp') {
    return new DowserError('STORE_LOCKED', `A 'dowser mcp' has the data folder ${dataDir} (process ${pid}).`, {
      hint: "Close the MCP client that started it, then start the server: a 'dowser mcp' that starts later asks the server. Or use another folder with --data.",
    });
  }
  return new DowserError('STORE_LOCKED', `The data folder ${dataDir} is already served at ${url}.`, {
    hint: `Use that server (MCP clients at ${url}/mcp), or another folder with --data.`,
  });
}

async function run(context: CommandContext, _args: readonly string[], options: CommandOptions): Promise<number> {
  const loaded = settingsFor(context, options);
  const { settings } = loaded;
  const { data_dir: dataDir } = settings;
  const version = dowserVersion();
  const logger = loggerFor(context, loaded, settings.log_level);
  const running = await findServer(dataDir);
  if (running !== undefined) throw inUse(dataDir, running);
  if (settings.engine !== 'memory') await findDataFolder(dataDir);
  const { embedder, loading } = await openServedEmbedder(context, settings, logger);
  const registry = await openRegistry(settings, {
    embedder,
    onEmbedError: (thrown, retryInMs) =>
      logger.warn({ code: toDowserError(thrown).code, retry_in_ms: retryInMs }, 'embedding failed'),
  });
  const start = async () => {
    // Before the first question can come: an empty answer would be a poor welcome.
    if (options.example === true) await loadExamplesOnce(registry, settings, logger);
    return startServer({ registry, version, logger, settings });
  };
  const server = await start().catch(async (thrown) => {
    await registry.close();
    throw thrown;
  });
  loading?.report(logger, context.signal);
  try {
    if (settings.engine !== 'memory') await writeServerFile(dataDir, server.url, 'serve');
    context.out.write(greeting(await registry.health(), greetingFor(context, loaded, server.url), context.out.style));
    logger.info({ url: server.url, data: dataDir, pid: process.pid }, 'listening');
    await watchVectors(context, { health: () => registry.health(), logger });
    await stopped(context.signal);
    logger.info({ signal: context.signal.reason }, 'stopping');
  } finally {
    await server.close();
    await removeServerFile(dataDir);
  }
  // Being told to stop is how a service ends well; Ctrl-C is an interruption, as everywhere.
  return context.signal.reason === 'SIGTERM' ? 0 : exitCodeOf('SIGINT');
}

/** What to type in another terminal: `npm start` runs from a checkout, where nothing has put `dowser` on the path. */
function greetingFor({ env }: CommandContext, { settings, origins }: LoadedSettings, url: string): GreetingOptions {
  const program = env.npm_package_name === 'dowser' ? 'npm run -s dowser --' : 'dowser';
  const isDefault = origins.data_dir === DEFAULT_ORIGIN || settings.engine === 'memory';
  return { url, program, ...(isDefault ? {} : { data: settings.data_dir }) };
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Once for each data folder, and only into an empty registry: examples that somebody removed stay away. */
async function loadExamplesOnce(
  registry: Registry,
  { engine, data_dir: dir }: Settings,
  logger: Logger,
): Promise<void> {
  const isKept = engine !== 'memory';
  if ((await registry.health()).index.entities > 0 || (isKept && (await hadExamples(dir)))) return;
  const { length: added } = await loadExamples(registry);
  if (isKept) await rememberExamples(dir);
  logger.info({ added }, 'example catalog loaded');
}

export const command: CommandModule = { run, graceful: true };
