import type { Settings } from '../config.ts';
import type { OpenOptions } from '../open.ts';
import type { LocalRegistry, Registry } from '../registry/registry.ts';
import { needDataFolder, stateOfFolder } from './data-folder.ts';
import type { Question } from './model/early-model.ts';
import { type FoundServer, findServer } from './server-file.ts';

/**
 * A registry, wherever it runs. A data folder has one owner at a time: while a server has it, commands ask that server,
 * which has the model loaded besides; otherwise they open the folder themselves.
 */
export interface Backend extends Registry {
  /** The server that answers, or null when this process does. */
  readonly url: string | null;
  close(): Promise<void>;
}

export interface BackendOptions {
  /**
   * Told, once, when something is asked of a data folder that is not there. The folder is not made then, as a question is
   * no reason for one, and its name may be a typing mistake: the answers are those of an empty registry. Without this it
   * is made.
   */
  readonly onMissing?: (dir: string) => void;
  /** The command only reads: a data folder that cannot be written will do. Default false. */
  readonly reads?: boolean;
  /** What will be asked first, so that the model it may need loads while the folder opens. */
  readonly question?: Question;
}

export async function openBackend(settings: Settings, options: BackendOptions = {}): Promise<Backend> {
  const { onMissing, question, reads = false } = options;
  const { data_dir: dir } = settings;
  const server = await findServer(dir);
  if (server !== undefined) return remote(server);
  // Not needed when a server answers, and half of what the command would load.
  const { openRegistry } = await import('../open.ts');
  const state = settings.engine === 'memory' ? 'writable' : await stateOfFolder(dir, { reads });
  if (state !== 'missing' || onMissing === undefined) {
    const early = await modelFor(question, settings);
    return local(await openRegistry(settings, { background: false, readOnly: state === 'read-only', ...early }));
  }
  return empty(await openRegistry({ ...settings, engine: 'memory' }, { background: false }), () => onMissing(dir));
}

async function modelFor(question: Question | undefined, settings: Settings): Promise<Pick<OpenOptions, 'embedder'>> {
  if (question === undefined) return {};
  const { openEarly, wantsModel } = await import('./model/early-model.ts');
  return wantsModel(question, settings) ? { embedder: await openEarly(settings) } : {};
}

/** For commands that are about something that must be there. Throws NOT_FOUND without a data folder. */
export async function openExisting(settings: Settings, options: Pick<BackendOptions, 'reads'> = {}): Promise<Backend> {
  const server = await findServer(settings.data_dir);
  if (server === undefined) await needDataFolder(settings, options);
  return server === undefined ? openBackend(settings, options) : remote(server);
}

/** What is wrong with a question is said first; only an answer comes with the news that there is no folder. */
function empty(registry: LocalRegistry, onMissing: () => void): Backend {
  let isTold = false;
  const told = <A extends readonly unknown[], T>(ask: (...args: A) => Promise<T>) => {
    return async (...args: A): Promise<T> => {
      const answer = await ask(...args);
      if (!isTold) onMissing();
      isTold = true;
      return answer;
    };
  };
  const { search, page, tags, sources, drift } = registry;
  const asked = {
    search: told(search),
    page: told(page),
    tags: told(tags),
    sources: told(sources),
    drift: told(drift),
  };
  return { ...local(registry), ...asked };
}

export const local = (registry: LocalRegistry): Backend => ({ ...registry, url: null });

const remote = ({ url, registry }: FoundServer): Backend => ({ ...registry, url, close: async () => {} });

/** The largest page of a registry. */
export const PAGE = 500;
