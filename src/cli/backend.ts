import type { Settings } from '../config.ts';
import type { EntityInput, EntityType } from '../model/entity.ts';
import type { SearchRequestInput } from '../model/query.ts';
import type { SearchResponse } from '../model/result.ts';
import type { OpenOptions } from '../open.ts';
import type { DriftedEntity, KnownSource, ObservationInput, Observed } from '../registry/provenance/observation.ts';
import type { BatchResult, EntityRecord, Health, PageQuery, PutOptions, Registry } from '../registry/registry.ts';
import { needDataFolder, stateOfFolder } from './data-folder.ts';
import type { Question } from './model/early-model.ts';
import { type FoundServer, findServer, LONG_CALL } from './server-file.ts';

/**
 * What commands need of a registry, wherever it runs. A data folder has one owner at a time: while a server has it,
 * commands ask that server, which has the model loaded besides; otherwise they open the folder themselves.
 */
export interface Backend {
  /** The server that answers, or null when this process does. */
  readonly url: string | null;
  search(request: SearchRequestInput): Promise<SearchResponse>;
  putMany(entities: readonly EntityInput[], options?: Pick<PutOptions, 'lifecycle'>): Promise<BatchResult>;
  get(type: EntityType, path: string): Promise<EntityRecord>;
  delete(type: EntityType, path: string): Promise<void>;
  page: Registry['page'];
  all: Registry['all'];
  tags: Registry['tags'];
  health(): Promise<Health>;
  observe(observation: ObservationInput): Promise<readonly Observed[]>;
  sources(): Promise<readonly KnownSource[]>;
  drift(): Promise<readonly DriftedEntity[]>;
  acceptDrift(type: EntityType, path: string): Promise<void>;
  /** Embeds what has no vector yet; a server does that by itself and is only watched. */
  embedPending: Registry['embedPending'];
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
function empty(registry: Registry, onMissing: () => void): Backend {
  let isTold = false;
  const told = <A extends readonly unknown[], T>(ask: (...args: A) => Promise<T>) => {
    return async (...args: A): Promise<T> => {
      const answer = await ask(...args);
      if (!isTold) onMissing();
      isTold = true;
      return answer;
    };
  };
  const { search, page, tags, sources, drift, ...others } = local(registry);
  const asked = {
    search: told(search),
    page: told(page),
    tags: told(tags),
    sources: told(sources),
    drift: told(drift),
  };
  return { ...others, ...asked };
}

export function local(registry: Registry): Backend {
  return {
    url: null,
    search: (request) => registry.search(request),
    putMany: (entities, options) => registry.putMany(entities, { ...options, vectors: 'later' }),
    get: (type, path) => registry.get(type, path),
    delete: (type, path) => registry.delete(type, path),
    page: (query) => registry.page(query),
    all: (types) => registry.all(types),
    tags: () => registry.tags(),
    health: () => registry.health(),
    observe: (observation) => registry.observe(observation),
    sources: () => registry.sources(),
    drift: () => registry.drift(),
    acceptDrift: (type, path) => registry.acceptDrift(type, path),
    embedPending: (options) => registry.embedPending(options),
    close: () => registry.close(),
  };
}

/** The most that a server gives at once, of entities and of tags. */
export const PAGE = 500;
const ALL_TAGS = 100_000;

/** How often a server is asked how far it is. */
const WATCH_MS = 500;

function remote({ url, client }: FoundServer): Backend {
  const health = () => client.health();
  const page = ({ types, statuses, tags, after, limit, query }: PageQuery = {}) => {
    const given = {
      type: types?.[0],
      query,
      tags: tags?.join(','),
      status: statuses?.join(','),
      cursor: after,
      limit: limit === undefined ? undefined : String(limit),
    };
    return client.listEntities({
      query: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    });
  };
  async function* all(types?: readonly EntityType[]): AsyncGenerator<EntityRecord> {
    for (const type of types ?? [undefined]) {
      let after: string | undefined;
      do {
        const found = await page({
          limit: PAGE,
          ...(type === undefined ? {} : { types: [type] }),
          ...(after === undefined ? {} : { after }),
        });
        yield* found.entities;
        after = found.cursor;
      } while (after !== undefined);
    }
  }
  return {
    url,
    search: (body) => client.search({ body }),
    putMany: (entities, options) =>
      client.putEntities({ query: { ...options, vectors: 'later' }, body: { entities: [...entities] } }, LONG_CALL),
    get: (type, path) => client.getEntity({ params: { type, path } }),
    delete: (type, path) => client.deleteEntity({ params: { type, path } }),
    page,
    all,
    tags: async () => (await client.searchTags({ query: { limit: ALL_TAGS } })).counts,
    health,
    observe: async (body) => (await client.observe({ body }, LONG_CALL)).results,
    sources: async () => (await client.listSources()).sources,
    drift: async () => (await client.listDrift()).entities,
    acceptDrift: (type, path) => client.acceptDrift({ params: { type, path } }),
    async embedPending({ signal, onProgress } = {}) {
      const { index, embedder } = await health();
      const total = index.missing_vectors;
      let remaining = total;
      let state: string = embedder.state;
      while (remaining > 0 && (state === 'ready' || state === 'loading') && signal?.aborted !== true) {
        onProgress?.({ done: total - remaining, total });
        await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
        const now = await health();
        remaining = now.index.missing_vectors;
        state = now.embedder.state;
      }
      return { embedded: total - remaining, remaining };
    },
    close: async () => {},
  };
}
