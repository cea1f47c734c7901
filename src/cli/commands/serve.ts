import { once } from 'node:events';
import { needsCredentials, reachOf } from '../../access/auth-mode.ts';
import { isReadOnlyForOthers } from '../../access/reach.ts';
import { DEFAULT_ORIGIN, type LoadedSettings, type Settings } from '../../config.ts';
import { untilAborted } from '../../embedders/wrappers/until-aborted.ts';
import type { Logger } from '../../http/log/logger.ts';
import { prepareDateParser } from '../../memories/time/time-words.ts';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { dowserVersion } from '../../open.ts';
import type { LocalRegistry, Registry } from '../../registry/contract/registry.ts';
import { TrustedSources } from '../../sources/trusted-sources.ts';
import {
  type CommandContext,
  type CommandModule,
  type CommandRun,
  exitCodeOf,
  settingsFor,
} from '../context/context.ts';
import { stateOfFolder } from '../context/data-folder.ts';
import { hadExamples, loadExamples, rememberExamples } from '../context/examples.ts';
import { loggerFor } from '../context/logger-for.ts';
import { openServedRegistry, orClose, serveFolder } from '../context/serve-folder.ts';
import { type FoundServer, findServer } from '../context/server-file.ts';
import type { ModelLoading } from '../model/model-loading.ts';
import { openServedEmbedder } from '../model/open-server-embedder.ts';
import { watchVectors } from '../model/vector-watch.ts';
import { type GreetingOptions, greeting } from '../terminal/greeting.ts';

function inUse(dataDir: string, { url, pid, command }: FoundServer): DowserError {
  if (command === 'mcp') {
    return new DowserError('STORE_LOCKED', `A 'dowser mcp' has the data folder ${dataDir} (process ${pid}).`, {
      hint: "Close the MCP client that started it, then start the server: later, 'dowser mcp' will ask the server. Or use another folder with --data.",
    });
  }
  return new DowserError('STORE_LOCKED', `The data folder ${dataDir} is already served at ${url}.`, {
    hint: `Use that server (MCP clients at ${url}/mcp), or another folder with --data.`,
  });
}

async function run(run: CommandRun): Promise<number> {
  const loaded = settingsFor(run);
  const { settings } = loaded;
  const { data_dir: dataDir } = settings;
  const logger = loggerFor(run, loaded, settings.log_level);
  const serving = { settings, origins: loaded.origins, version: dowserVersion(), logger };
  const running = await findServer(dataDir);
  if (running !== undefined) throw inUse(dataDir, running);
  if (settings.engine !== 'memory') await stateOfFolder(dataDir);
  const { embedder, loading } = await openServedEmbedder(run, settings, logger);
  const registry = await openServedRegistry(serving, embedder);
  // Before the first search can come: it should not be empty.
  if (run.options.example === true) {
    const isFirst = await orClose(registry, () => loadExamplesOnce(registry, settings, logger));
    if (isFirst) await embedFirst(run, registry, loading);
  }
  const server = await serveFolder(registry, serving, 'serve');
  loading?.report(logger, run.signal);
  const watching = Promise.all([
    watchFolders(registry, settings, { logger, signal: run.signal }),
    watchSkillFolders(run, registry, settings, logger),
  ]);
  try {
    run.out.write(greeting(await registry.health(), greetingFor(run, loaded, server.url), run.out.style));
    logger.info({ url: server.url, data: dataDir, pid: process.pid }, 'listening');
    if (isReadOnlyNetwork(settings)) logger.info({ setting: 'allow_remote_writes' }, 'read-only over the network');
    await prepareDateParser(new Date());
    await watchVectors(run, { health: () => registry.health(), logger });
    if (!run.signal.aborted) await once(run.signal, 'abort');
    logger.info({ signal: run.signal.reason }, 'stopping');
    if (run.signal.reason === 'SIGTERM') await server.drain();
  } finally {
    // A scan that was stopped stores what it has read.
    await watching.catch((err: unknown) => logger.error({ err }, 'folders'));
    await server.close();
  }
  // SIGTERM is how a service is stopped. Ctrl-C is an interruption, as for every command.
  return run.signal.reason === 'SIGTERM' ? 0 : exitCodeOf('SIGINT');
}

/** Keeps the collections of the setting `watch_folders` like their folders. */
async function watchFolders(
  registry: LocalRegistry,
  { watch_folders: roots }: Settings,
  options: Pick<CommandContext, 'signal'> & { readonly logger: Logger },
): Promise<void> {
  if (roots.length === 0) return;
  const { openDocuments } = await import('../../open-documents.ts');
  const { watchServed } = await import('../documents/watch-collections.ts');
  await watchServed(await openDocuments(registry), registry, roots, options);
}

/** Keeps the skills of folders that were added on this machine like their folders, with the setting `watch_skills`. */
async function watchSkillFolders(
  run: CommandRun,
  registry: LocalRegistry,
  settings: Settings,
  logger: Logger,
): Promise<void> {
  if (!settings.watch_skills) return;
  const { hasChanged, watchSkills } = await import('../sources/watch-skills.ts');
  const { sourceContext } = await import('../sources/source-context.ts');
  await watchSkills({
    registry,
    context: sourceContext(run, settings),
    trusted: new TrustedSources(settings.data_dir),
    wanted: [],
    signal: run.signal,
    onRead(report) {
      const { title, state, results } = report;
      if (hasChanged(report)) logger.info({ folder: title, state, results: results.length }, 'skills read');
    },
    onProblem(folder, error) {
      const { code, message: reason } = toDowserError(error);
      logger.warn({ folder, code, reason }, 'a folder of skills could not be read');
    },
  });
}

const isReadOnlyNetwork = (settings: Settings): boolean =>
  !needsCredentials(settings) && isReadOnlyForOthers(reachOf(settings));

/** What to type in another terminal. `npm start` runs from a checkout, where `dowser` is not on the path. */
function greetingFor({ env }: CommandContext, { settings, origins }: LoadedSettings, url: string): GreetingOptions {
  const program = env.npm_package_name === 'dowser' ? 'npm run -s dowser --' : 'dowser';
  const isDefault = origins.data_dir === DEFAULT_ORIGIN || settings.engine === 'memory';
  const network = needsCredentials(settings) ? 'credentials' : isReadOnlyNetwork(settings) ? 'read-only' : 'local';
  return { url, program, network, ...(isDefault ? {} : { data: settings.data_dir }) };
}

/** Once for each data folder, and only into an empty registry: examples that were deleted stay deleted. */
async function loadExamplesOnce(
  registry: Registry,
  { engine, data_dir: dir }: Settings,
  logger: Logger,
): Promise<boolean> {
  const isKept = engine !== 'memory';
  if ((await registry.health()).index.entities > 0 || (isKept && (await hadExamples(dir)))) return false;
  const { length: added } = await loadExamples(registry);
  if (isKept) await rememberExamples(dir);
  logger.info({ added }, 'example catalog loaded');
  return true;
}

/** Far more than the vectors that come with the examples take. Another model computes them while the server runs. */
const FIRST_VECTORS_MS = 5000;

/** So that the first search finds by meaning. */
async function embedFirst(
  { signal: stop }: CommandContext,
  registry: Registry,
  loading: ModelLoading | null,
): Promise<void> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(FIRST_VECTORS_MS)]);
  const work = Promise.all([loading?.settled, registry.embedPending({ signal })]);
  await untilAborted(work, signal).catch(() => undefined);
}

export const command: CommandModule = { run, graceful: true };
