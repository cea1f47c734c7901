import { DOCUMENT_CALLS } from '../../api/calls/document-calls.ts';
import { MEMORY_CALLS } from '../../api/calls/memory-calls.ts';
import { isTooLate } from '../../client/deadline.ts';
import type { Documents } from '../../documents/contract/documents.ts';
import type { FullCatalog } from '../../mcp/catalog/catalog.ts';
import type { Memories } from '../../memories/memories.ts';
import { DowserError, type ErrorCode, toDowserError } from '../../model/errors/errors.ts';
import type { CommandKey } from '../context/context.ts';
import { type LocalScope, WITHOUT_LIMITS } from '../context/local-scope.ts';
import type { ServeOptions } from '../context/serve-folder.ts';
import { findServer } from '../context/server-file.ts';
import { loadInBackground } from './model-loading.ts';

/** What answers requests now: this process, or the owner of the data folder. */
interface Answering {
  readonly catalog: FullCatalog;
  readonly remote: boolean;
  close(): Promise<void>;
}

/** How long the owner of a data folder may take to announce its address, or to release the folder. */
const OWNER_WAIT_MS = 10_000;
const OWNER_RETRY_MS = 100;

const GONE: readonly ErrorCode[] = ['SERVER_UNREACHABLE', 'ENGINE_UNAVAILABLE'];

/** An owner that is only late is still there, and a second request would not help it. */
const isGone = (thrown: unknown): boolean => GONE.includes(toDowserError(thrown).code) && !isTooLate(thrown);

export interface SharedOptions extends ServeOptions {
  /** The key of this process. Checked at every request: it may expire or be revoked. Absent: the user of the folder. */
  readonly key?: CommandKey | undefined;
  /** How this process asks a registry that it has opened itself. Default: as the user of the folder. */
  readonly scope?: LocalScope | undefined;
}

/**
 * The registry of a `dowser mcp` process. Every MCP client starts such a process, and a data folder has one owner. The first
 * process opens the folder and serves it to the others on a loopback port. When it ends, the next request makes one of the
 * others the owner.
 */
export class SharedCatalog implements FullCatalog {
  readonly #options: SharedOptions;
  readonly #stop = new AbortController();
  #answering: Promise<Answering> | null = null;

  constructor(options: SharedOptions) {
    this.#options = options;
  }

  search: FullCatalog['search'] = (request) => this.#ask((catalog) => catalog.search(request));
  get: FullCatalog['get'] = (type, path) => this.#ask((catalog) => catalog.get(type, path));
  page: FullCatalog['page'] = (query) => this.#ask((catalog) => catalog.page(query));
  recommend: FullCatalog['recommend'] = (request) => this.#ask((catalog) => catalog.recommend(request));
  recommendRespond: FullCatalog['recommendRespond'] = (request) =>
    this.#ask((catalog) => catalog.recommendRespond(request));
  getStack: FullCatalog['getStack'] = (request) => this.#ask((catalog) => catalog.getStack(request));
  compare: FullCatalog['compare'] = (request) => this.#ask((catalog) => catalog.compare(request));
  compatible: FullCatalog['compatible'] = (request) => this.#ask((catalog) => catalog.compatible(request));
  reportOutcome: FullCatalog['reportOutcome'] = (request) => this.#ask((catalog) => catalog.reportOutcome(request));
  health: FullCatalog['health'] = () => this.#ask((catalog) => catalog.health());

  preflight: FullCatalog['preflight'] = (paths) => this.#ask((catalog) => catalog.preflight(paths));
  readResult: FullCatalog['readResult'] = (request) => this.#ask((catalog) => catalog.readResult(request));
  /** Sent once: the tool may have run in the process that is gone. */
  call: FullCatalog['call'] = async (request, options) => {
    await this.health();
    const { catalog, remote } = await this.#take();
    try {
      return await catalog.call(request, options);
    } catch (thrown) {
      if (!remote || !isGone(thrown)) throw thrown;
      throw new DowserError('OUTCOME_UNKNOWN', 'The process that called the tool is gone.', {
        hint: 'The tool may have run: check before you repeat it.',
        details: { retryable: false },
        cause: thrown,
      });
    }
  };

  readonly memories = Object.fromEntries(
    Object.keys(MEMORY_CALLS).map((method) => [
      method,
      (...args: readonly unknown[]) =>
        this.#ask(({ memories }) =>
          (memories[method as keyof Memories] as (...all: unknown[]) => Promise<unknown>)(...args),
        ),
    ]),
  ) as unknown as Memories;

  readonly documents = Object.fromEntries(
    Object.keys(DOCUMENT_CALLS).map((method) => [
      method,
      (...args: readonly unknown[]) =>
        this.#ask(({ documents }) =>
          (documents[method as keyof Documents] as (...all: unknown[]) => Promise<unknown>)(...args),
        ),
    ]),
  ) as unknown as Documents;

  async close(): Promise<void> {
    this.#stop.abort();
    const answering = await this.#answering?.catch(() => null);
    await answering?.close();
  }

  async #ask<T>(call: (catalog: FullCatalog) => Promise<T>): Promise<T> {
    await this.#options.key?.caller();
    const asked = this.#take();
    const answering = await asked;
    try {
      return await call(answering.catalog);
    } catch (thrown) {
      if (!answering.remote || !isGone(thrown)) throw thrown;
      if (this.#answering === asked) this.#answering = null;
      return call((await this.#take()).catalog);
    }
  }

  #take(): Promise<Answering> {
    if (this.#answering !== null) return this.#answering;
    const answering = this.#open();
    this.#answering = answering;
    answering.catch(() => {
      if (this.#answering === answering) this.#answering = null;
    });
    return answering;
  }

  async #open(): Promise<Answering> {
    const { data_dir: dataDir } = this.#options.settings;
    for (const deadline = Date.now() + OWNER_WAIT_MS; ; ) {
      if (this.#stop.signal.aborted) throw new DowserError('ENGINE_UNAVAILABLE', 'The registry is closed.');
      const server = await findServer(dataDir, this.#options.key);
      if (server !== undefined) {
        const { registry, memories, documents } = server;
        return { catalog: { ...registry, memories, documents }, remote: true, close: async () => {} };
      }
      try {
        return await this.#own();
      } catch (thrown) {
        if (toDowserError(thrown).code !== 'STORE_LOCKED' || Date.now() > deadline) throw thrown;
        await new Promise((resolve) => setTimeout(resolve, OWNER_RETRY_MS));
      }
    }
  }

  async #own(): Promise<Answering> {
    const { settings, logger, scope = WITHOUT_LIMITS } = this.#options;
    const { openEmbedderFor, openMemories } = await import('../../open.ts');
    const { openDocuments } = await import('../../open-documents.ts');
    const { openServedRegistry, serveFolder } = await import('../context/serve-folder.ts');
    const embedder = await openEmbedderFor(settings, {
      onWarning: (error) => logger.warn({ reason: String(error) }, 'embeddings'),
    });
    const registry = await openServedRegistry(this.#options, embedder);
    loadInBackground(embedder).report(logger, this.#stop.signal);
    const isAlone = settings.engine === 'memory';
    const options = { ...this.#options, settings: { ...settings, host: '127.0.0.1', port: 0 } };
    const owner = isAlone ? registry : await serveFolder(registry, options, 'mcp');
    const memories = await openMemories(registry, settings);
    const documents = await openDocuments(registry);
    const close = async () => {
      await memories.flush();
      scope.close();
      await owner.close();
    };
    const catalog = {
      ...scope.registry(registry),
      memories: scope.memories(memories),
      documents: scope.documents(documents),
    };
    return { catalog, remote: false, close };
  }
}
