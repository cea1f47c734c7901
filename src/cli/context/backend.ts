import type { Settings } from '../../config.ts';
import type { Documents } from '../../documents/contract/documents.ts';
import type { MemoryService } from '../../memories/create-memories.ts';
import type { Memories } from '../../memories/memories.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { OpenOptions } from '../../open.ts';
import type { LocalRegistry, Registry } from '../../registry/contract/registry.ts';
import { type CommandRun, settingsFor, warn } from './context.ts';
import { stateOfFolder } from './data-folder.ts';
import type { Question } from './early-model.ts';
import { localScope } from './local-scope.ts';
import { findServer } from './server-file.ts';

/**
 * The registry that a command asks. A data folder has one owner at a time: while a server has it, commands ask that server,
 * which also has the model loaded. Otherwise they open the folder themselves.
 */
export interface Backend extends Registry {
  /** Whether a server answers, which others may ask at the same time. */
  readonly isServer: boolean;
  /** Loaded on use: most commands do not need them. */
  memories(): Promise<Memories>;
  documents(): Promise<Documents>;
  close(): Promise<void>;
}

export interface BackendOptions {
  /** Default: those of the command line. */
  readonly settings?: Settings;
  /**
   * What to do without a data folder. `create` creates it (the default), `refuse` throws NOT_FOUND. `warn` names the folder,
   * which may be misspelled, and answers like an empty registry.
   */
  readonly missing?: 'create' | 'refuse' | 'warn';
  /** The command only reads, so a read-only data folder is enough. Default false. */
  readonly reads?: boolean;
  /** The first search, so that the model it may need loads while the folder opens. */
  readonly question?: Question;
}

/** Opens the registry for a piece of work, and closes it however the work ends. */
export async function withBackend<T>(
  run: CommandRun,
  options: BackendOptions,
  work: (backend: Backend) => Promise<T>,
): Promise<T> {
  const backend = await openBackend(run, options);
  try {
    return await work(backend);
  } finally {
    await backend.close();
  }
}

async function openBackend(run: CommandRun, options: BackendOptions): Promise<Backend> {
  const { settings = settingsFor(run).settings, missing = 'create', reads = false, question } = options;
  const { data_dir: dir, engine } = settings;
  const server = await findServer(dir, run.key);
  if (server !== undefined) {
    const { registry, memories, documents } = server;
    const parts = { memories: async () => memories, documents: async () => documents, close: async () => {} };
    return { ...registry, ...parts, isServer: true };
  }
  const state = engine === 'memory' ? 'writable' : await stateOfFolder(dir, { reads });
  const nothing = `There is no data folder ${dir} yet: nothing is registered.`;
  if (state === 'missing' && missing === 'refuse') {
    throw new DowserError('NOT_FOUND', nothing, {
      hint: 'Name the folder with --data, or add something with `dowser add` or `dowser import`.',
    });
  }
  // Not needed when a server answers, and half of what the command would load.
  const { openRegistry } = await import('../../open.ts');
  if (state !== 'missing' || missing === 'create') {
    const early = await modelFor(question, settings);
    const open = async (readOnly: boolean) =>
      local(run, await openRegistry(settings, { background: false, ...early, readOnly }), settings);
    if (state === 'read-only') return open(true);
    // A command that reads writes nothing: the disk may be full, and another command may have the folder.
    const isReader = reads && engine !== 'memory' && settings.store === undefined;
    if (!isReader) return open(false);
    // What a crash or an earlier version left can be read only after a write.
    return open(true).catch(() => open(false));
  }
  const empty = await openRegistry({ ...settings, engine: 'memory' }, { background: false });
  return warnAtAnswer(await local(run, empty, settings), () => {
    if (run.options.json !== true) warn(run, nothing);
  });
}

async function local(run: CommandRun, registry: LocalRegistry, settings: Settings): Promise<Backend> {
  let opened: Promise<MemoryService> | undefined;
  const scope = await localScope(run, settings);
  return {
    ...scope.registry(registry),
    isServer: false,
    async memories() {
      opened ??= import('../../open.ts').then(({ openMemories }) => openMemories(registry, settings));
      return scope.memories(await opened);
    },
    documents: async () => scope.documents(await (await import('../../open-documents.ts')).openDocuments(registry)),
    async close() {
      await (await opened)?.flush();
      scope.close();
      await registry.close();
    },
  };
}

async function modelFor(question: Question | undefined, settings: Settings): Promise<Pick<OpenOptions, 'embedder'>> {
  if (question === undefined) return {};
  const { openEarly, wantsModel } = await import('./early-model.ts');
  return wantsModel(question, settings) ? { embedder: await openEarly(settings) } : {};
}

/** Warns once, at the first answer: an invalid request is reported without the warning. */
function warnAtAnswer(registry: Backend, onAnswer: () => void): Backend {
  let tell = onAnswer;
  const told = <A extends readonly unknown[], T>(ask: (...args: A) => Promise<T>) => {
    return async (...args: A): Promise<T> => {
      const answer = await ask(...args);
      tell();
      tell = () => {};
      return answer;
    };
  };
  const { search, page, tags, sources, drift, memories, documents } = registry;
  const asked = { search: told(search), page: told(page), tags: told(tags), sources: told(sources) };
  return { ...registry, ...asked, drift: told(drift), memories: told(memories), documents: told(documents) };
}
