import { createServer } from 'node:net';
import type { Settings } from '../../config.ts';
import { toDowserError } from '../../model/errors.ts';
import { openEmbedderFor, openRegistry } from '../../open.ts';
import type { Health } from '../../registry/registry.ts';
import { stateOfFolder } from '../data-folder.ts';
import { localModel, MODEL_STATES } from '../model/local-model.ts';
import { inPlainWords } from '../plain-words.ts';
import type { FoundServer } from '../server-file.ts';
import { FIRST_STEPS } from '../terminal/first-steps.ts';
import { formatCount } from '../terminal/progress.ts';

export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly hint?: string;
}

const ok = (name: string, message: string): Check => ({ name, status: 'ok', message });
const warned = (name: string, message: string, hint: string): Check => ({ name, status: 'warn', message, hint });

function failedWith(name: string, thrown: unknown): Check {
  const { message, ownHint: hint, code } = inPlainWords(toDowserError(thrown));
  return { name, status: 'fail', message: `${message} [${code}]`, ...(hint === undefined ? {} : { hint }) };
}

const READ_ONLY_HINT = 'Searches work. To add something, change its permissions or choose another folder with --data.';

/** `engines.node` of the package. */
const MIN_NODE = [20, 19] as const;

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const enough = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1]);
  if (enough) return ok('node', `${version}`);
  const message = `${version} is older than ${MIN_NODE.join('.')}`;
  return { name: 'node', status: 'fail', message, hint: `Install Node.js ${MIN_NODE.join('.')} or newer.` };
}

export async function checkDataFolder(dir: string): Promise<Check> {
  try {
    const state = await stateOfFolder(dir, { reads: true });
    if (state === 'read-only') return warned('data folder', `${dir} cannot be written`, READ_ONLY_HINT);
    return ok('data folder', `${dir} can be ${state === 'writable' ? 'written' : 'made'}`);
  } catch (thrown) {
    return failedWith('data folder', thrown);
  }
}

/** Opens the database, or asks the server that has it. A folder that was never used is not made for the question. */
export async function checkStore(settings: Settings, server: FoundServer | undefined): Promise<readonly Check[]> {
  try {
    if (server !== undefined) {
      const health = await server.registry.health();
      return [ok('database', `in use by the server at ${server.url}`), ...indexChecks(health, settings)];
    }
    const state = await stateOfFolder(settings.data_dir, { reads: true });
    if (state === 'missing') return [ok('database', `nothing is stored in ${settings.data_dir} yet`)];
    const registry = await openRegistry(settings, { background: false, readOnly: state === 'read-only' });
    try {
      return [ok('database', `${settings.data_dir} opens`), ...indexChecks(await registry.health(), settings)];
    } finally {
      await registry.close();
    }
  } catch (thrown) {
    return [failedWith('database', thrown)];
  }
}

function indexChecks(health: Health, settings: Settings): readonly Check[] {
  const { index } = health;
  const counts = `${formatCount(index.entities)} entities, ${formatCount(index.units)} units`;
  if (index.entities === 0) {
    return [warned('index', 'empty', FIRST_STEPS)];
  }
  if (settings.embeddings_provider === 'off') return [ok('index', counts), ok('vectors', 'switched off')];
  return [ok('index', counts), ...vectorChecks(health)];
}

function vectorChecks({ index, embedder }: Health): readonly Check[] {
  const vectors = `${formatCount(index.vectors)} vectors`;
  const hint = 'A running server computes them; or run `dowser reindex --missing`.';
  const missing = `${vectors}, ${formatCount(index.missing_vectors)} missing`;
  const checks = [index.missing_vectors === 0 ? ok('vectors', vectors) : warned('vectors', missing, hint)];
  const { building } = embedder;
  if (building !== undefined) {
    const { id, done, total, error } = building;
    const far = `${embedder.id} answers while ${id} is built: ${formatCount(done)} of ${formatCount(total)} vectors`;
    checks.push(error === undefined ? warned('new model', far, hint) : warned('new model', `${far}; ${error}`, hint));
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

/** Whether the local model is in its store; undefined when the settings use another embedder. */
export async function checkModel(settings: Settings): Promise<Check | undefined> {
  try {
    const found = await localModel(settings);
    if (found === undefined) return undefined;
    const { name } = found.model;
    const state = `${name} is ${MODEL_STATES[found.state]}`;
    if (found.state === 'good') return ok('model', `${state}, in ${found.dir}`);
    const hint = 'Run `dowser model pull`.';
    if (found.state === 'missing')
      return warned('model', `${state}: search is by keyword only; it belongs in ${found.dir}`, hint);
    return { name: 'model', status: 'fail', message: `${state}, in ${found.dir}`, hint };
  } catch (thrown) {
    return failedWith('model', thrown);
  }
}

/** Embeds two texts, past every cache: the first also loads the model, the second shows its pace. */
export async function checkEmbedder(settings: Settings): Promise<Check> {
  try {
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
  } catch (thrown) {
    return failedWith('embedder', thrown);
  }
}

export async function checkPort({ host, port }: Settings, server: FoundServer | undefined): Promise<Check> {
  if (port === 0) return ok('port', 'any free one');
  if (server !== undefined && Number(new URL(server.url).port) === port)
    return ok('port', `${port} is our own server's`);
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', ({ code }: NodeJS.ErrnoException) => {
      const hint = 'Choose another with `dowser serve --port`.';
      resolve(warned('port', `${host}:${port} cannot be served on (${code})`, hint));
    });
    probe.listen({ host, port }, () => probe.close(() => resolve(ok('port', `${host}:${port} is free`))));
  });
}
