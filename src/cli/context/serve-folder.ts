import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { LoadedSettings, Settings } from '../../config.ts';
import type { OpenedEmbedder } from '../../embedders/open/open-embedder.ts';
import type { Logger } from '../../http/log/logger.ts';
import { type RunningServer, startServer } from '../../http/server.ts';
import { toDowserError } from '../../model/errors/errors.ts';
import { openRegistry } from '../../open.ts';
import type { LocalRegistry, Replica } from '../../registry/contract/registry.ts';
import { loadExamples, rememberExamples } from './examples.ts';
import { removeServerFile, type ServingCommand, writeServerFile } from './server-file.ts';

const SECRET_BYTES = 32;

export interface ServeOptions {
  readonly settings: Settings;
  readonly origins?: LoadedSettings['origins'];
  readonly version: string;
  readonly logger: Logger;
}

/** Opens the data folder for a server. Its log reports failures of the background queue. */
export async function openServedRegistry(
  { settings, logger }: ServeOptions,
  embedder: OpenedEmbedder,
): Promise<LocalRegistry> {
  const registry = await openRegistry(settings, {
    embedder,
    readOnlyIfFull: true,
    onEmbedError: (thrown, retryInMs) =>
      logger.warn({ code: toDowserError(thrown).code, retry_in_ms: retryInMs }, 'embedding failed'),
    onRerankChange: (error) => {
      if (error === null) return logger.info({}, 'the reranker answers again');
      const { code, message: reason, hint } = error;
      logger.warn({ code, reason, hint }, 'the reranker failed: searches go on without it');
    },
  });
  await orClose(registry, () => checkDenied(registry));
  warnAboutRecord(registry.replica, logger);
  const { error } = (await registry.health()).store;
  if (error?.code === 'STORE_FULL')
    logger.warn(
      { code: error.code, reason: error.message },
      'the disk is full: serving for reading only, until it is started again',
    );
  return registry;
}

/** Throws INVALID_FILE: a server that cannot read which tools are denied would refuse every search. */
async function checkDenied(registry: LocalRegistry): Promise<void> {
  await registry.deniedTools().catch((thrown: unknown) => {
    if (toDowserError(thrown).code === 'INVALID_FILE') throw thrown;
  });
}

/** A node starts without the record too, and would otherwise look like one that works. */
function warnAboutRecord(replica: Replica | null, logger: Logger): void {
  const { error = null, isUsable } = replica?.status() ?? {};
  if (error === null) return;
  const searches = isUsable
    ? 'searches are answered from the copy of this node'
    : 'searches wait until it has been read once';
  const { code, message: reason, hint } = error;
  logger.warn({ code, reason, hint }, `the record cannot be reached yet: ${searches}`);
}

/** Serves a registry over HTTP, and announces the address in its data folder. Closes the registry if that fails. */
export async function serveFolder(
  registry: LocalRegistry,
  options: ServeOptions,
  command: ServingCommand,
): Promise<RunningServer> {
  const { data_dir: dataDir, engine } = options.settings;
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  const namesFile = engine === 'memory' ? undefined : join(dataDir, 'listed-names.jsonl');
  const load = async (to: Pick<LocalRegistry, 'observe'>) => {
    const results = await loadExamples(to);
    if (engine !== 'memory') await rememberExamples(dataDir);
    return results;
  };
  const server = await orClose(registry, () =>
    startServer({ registry, ...options, secret, namesFile, loadExamples: load }),
  );
  const announce = () =>
    writeServerFile(dataDir, { url: server.url, command, secret }).catch((thrown: unknown) => {
      // Other commands do not find the server then. It serves its clients.
      if (!isDiskFull(thrown)) throw thrown;
      options.logger.warn(
        { code: 'STORE_FULL' },
        'the disk is full: the commands of this machine do not find this server',
      );
    });
  if (engine !== 'memory') await orClose(server, announce);
  return {
    ...server,
    async close() {
      await server.close();
      await removeServerFile(dataDir);
    },
  };
}

const isDiskFull = (thrown: unknown): boolean =>
  ['ENOSPC', 'EFBIG', 'EDQUOT', 'STORE_FULL'].includes((thrown as NodeJS.ErrnoException | null)?.code ?? '');

/** Closes what is open if the next step fails: an open registry would keep the process alive. */
export async function orClose<T>(open: Pick<RunningServer, 'close'>, next: () => Promise<T>): Promise<T> {
  try {
    return await next();
  } catch (thrown) {
    await open.close();
    throw thrown;
  }
}
