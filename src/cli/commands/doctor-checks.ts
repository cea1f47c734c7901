import { createServer } from 'node:net';
import type { Settings } from '../../config.ts';
import { toDowserError } from '../../model/errors/errors.ts';
import { openEmbedderFor, openRegistry } from '../../open.ts';
import type { Health } from '../../registry/contract/registry.ts';
import { stateOfFolder } from '../context/data-folder.ts';
import { localModel, MODEL_STATES } from '../context/local-model.ts';
import { inPlainWords } from '../context/plain-words.ts';
import type { FoundServer } from '../context/server-file.ts';
import { FIRST_STEPS } from '../terminal/first-steps.ts';
import { formatCount, formatEntities, formatThings } from '../terminal/progress.ts';

export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly hint?: string | undefined;
}

export const ok = (name: string, message: string): Check => ({ name, status: 'ok', message });
export const warned = (name: string, message: string, hint: string): Check => ({ name, status: 'warn', message, hint });

export const failed = (name: string, message: string, hint?: string): Check => ({
  name,
  status: 'fail',
  message,
  hint,
});

/** A check that throws has failed. */
export async function orFailed<T>(name: string, check: () => Promise<T>): Promise<T | Check> {
  try {
    return await check();
  } catch (thrown) {
    const { message, ownHint, code } = inPlainWords(toDowserError(thrown));
    return failed(name, `${message} [${code}]`, ownHint);
  }
}

const READ_ONLY_HINT = 'Searches work. To add something, change its permissions or choose another folder with --data.';

/** `engines.node` of the package. */
const MIN_NODE = [20, 19] as const;

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const enough = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1]);
  if (enough) return ok('node', version);
  const min = MIN_NODE.join('.');
  return failed('node', `${version} is older than ${min}`, `Install Node.js ${min} or newer.`);
}

export function checkDataFolder(dir: string): Promise<Check> {
  return orFailed('data folder', async () => {
    const state = await stateOfFolder(dir, { reads: true });
    if (state === 'read-only') return warned('data folder', `${dir} cannot be written`, READ_ONLY_HINT);
    return ok('data folder', `${dir} can be ${state === 'writable' ? 'written' : 'created'}`);
  });
}

/** Opens the database, or asks the server that uses it. Does not create a missing folder. */
export async function checkStore(settings: Settings, server: FoundServer | undefined): Promise<readonly Check[]> {
  const { data_dir: dir } = settings;
  const checks = await orFailed('database', async () => {
    if (server !== undefined) {
      const health = await server.registry.health();
      return [ok('database', `in use by the server at ${server.url}`), ...indexChecks(health, settings)];
    }
    const state = await stateOfFolder(dir, { reads: true });
    if (state === 'missing') return [ok('database', `nothing is stored in ${dir} yet`)];
    const registry = await openRegistry(settings, { background: false, readOnly: state === 'read-only' });
    try {
      return [ok('database', `${dir} opens`), ...indexChecks(await registry.health(), settings)];
    } finally {
      await registry.close();
    }
  });
  return [checks].flat();
}

function indexChecks(health: Health, { embeddings_provider: provider }: Settings): readonly Check[] {
  const { entities, units } = health.index;
  if (entities === 0) return [warned('index', 'empty', FIRST_STEPS)];
  const counts = ok('index', `${formatEntities(entities)}, ${formatThings(units, 'unit')}`);
  return [counts, ...(provider === 'off' ? [ok('vectors', 'switched off')] : vectorChecks(health))];
}

function vectorChecks({ index, embedder }: Health): readonly Check[] {
  const vectors = `${formatCount(index.vectors)} vectors`;
  const hint = 'Start a server, or run `dowser reindex --missing`.';
  const missing = `${vectors}, ${formatCount(index.missing_vectors)} missing`;
  const checks = [index.missing_vectors === 0 ? ok('vectors', vectors) : warned('vectors', missing, hint)];
  const { building } = embedder;
  if (building !== undefined) {
    const { id, done, total, error } = building;
    const far = `${embedder.id} answers while ${id} is built: ${formatCount(done)} of ${formatCount(total)} vectors`;
    checks.push(warned('new model', error === undefined ? far : `${far}; ${error}`, hint));
  }
  if (index.unloaded_vectors !== undefined) {
    const unloaded = `${formatCount(index.unloaded_vectors)} vectors do not fit in memory`;
    checks.push(warned('memory', unloaded, 'Their units are found by keyword. Use a model with fewer dimensions.'));
  }
  if (index.stale_vectors > 0) {
    const stale = `${formatCount(index.stale_vectors)} of other models`;
    checks.push(warned('stale', stale, 'They are deleted once none is missing: run `dowser reindex --missing`.'));
  }
  return checks;
}

/** Whether the local model is stored. Undefined if the settings use another embedder. */
export function checkModel(settings: Settings): Promise<Check | undefined> {
  return orFailed('model', async () => {
    const found = await localModel(settings);
    if (found === undefined) return undefined;
    if (found.isReady) return ok('model', `${found.model.name} is ready, in ${found.dir}`);
    const isModel = found.state !== 'good';
    const { dir, state } = isModel ? found : found.runtime;
    const words = `${isModel ? found.model.name : `the runtime ${found.runtime.name}`} is ${MODEL_STATES[state]}`;
    const hint = 'Run `dowser model pull`.';
    if (state === 'corrupt') return failed('model', `${words}, in ${dir}`, hint);
    return warned('model', `${words}: search is by keyword only; it belongs in ${dir}`, hint);
  });
}

/** Embeds two texts without a cache. The first also loads the model; the second shows its speed. */
export function checkEmbedder(settings: Settings): Promise<Check> {
  return orFailed('embedder', async () => {
    const { embedder } = await openEmbedderFor({ ...settings, engine: 'memory' });
    if (embedder === null) return ok('embedder', 'switched off: search is by keyword only');
    try {
      const times: number[] = [];
      for (const text of ['a first text', 'a second text']) {
        const started = performance.now();
        await embedder.embed([text], { as: 'document' });
        times.push(performance.now() - started);
      }
      const [first = 0, second = 0] = times.map(Math.round);
      return ok('embedder', `${embedder.id} answers in ${second} ms (${first} ms the first time)`);
    } finally {
      await embedder.close();
    }
  });
}

export async function checkPort({ host, port }: Settings, server: FoundServer | undefined): Promise<Check> {
  // Its own port, which need not be that of the settings.
  if (server !== undefined)
    return ok('port', `${new URL(server.url).port} is in use by the server of this data folder`);
  if (port === 0) return ok('port', 'any free one');
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', ({ code }: NodeJS.ErrnoException) => {
      const hint = 'Choose another with `dowser serve --port`.';
      resolve(warned('port', `${host}:${port} cannot be served on (${code})`, hint));
    });
    probe.listen({ host, port }, () => probe.close(() => resolve(ok('port', `${host}:${port} is free`))));
  });
}
