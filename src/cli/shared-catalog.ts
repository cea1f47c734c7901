import { isTooLate } from '../client/deadline.ts';
import type { Settings } from '../config.ts';
import type { Logger } from '../http/logger.ts';
import type { Catalog } from '../mcp/catalog.ts';
import { DowserError, type ErrorCode, toDowserError } from '../model/errors.ts';
import { findServer, removeServerFile, writeServerFile } from './server-file.ts';

export interface SharedOptions {
  readonly settings: Settings;
  readonly version: string;
  readonly logger: Logger;
}

/** Where questions are answered now: in this process, or by the one that has the data folder. */
interface Seat {
  readonly catalog: Catalog;
  readonly remote: boolean;
  close(): Promise<void>;
}

/** How long the holder of a data folder may take to say where it is, or to let go of it. */
const SEAT_WAIT_MS = 10_000;
const SEAT_RETRY_MS = 100;

const GONE: readonly ErrorCode[] = ['SERVER_UNREACHABLE', 'ENGINE_UNAVAILABLE'];

/** Whoever is only late is still there, and busy enough without being asked again. */
const isGone = (thrown: unknown): boolean => GONE.includes(toDowserError(thrown).code) && !isTooLate(thrown);

/**
 * A registry for a process that lives as long as its client, beside others of its kind: every MCP client starts a process
 * of its own, and a data folder has one owner. The first process opens the folder and serves it to the others on a loopback
 * port that only they are told of; when it ends, the next question makes one of the others the owner.
 */
export class SharedCatalog implements Catalog {
  readonly #options: SharedOptions;
  #seat: Promise<Seat> | null = null;
  #closed = false;

  constructor(options: SharedOptions) {
    this.#options = options;
  }

  search: Catalog['search'] = (request) => this.#ask((catalog) => catalog.search(request));
  get: Catalog['get'] = (type, path) => this.#ask((catalog) => catalog.get(type, path));
  page: Catalog['page'] = (query) => this.#ask((catalog) => catalog.page(query));
  health: Catalog['health'] = () => this.#ask((catalog) => catalog.health());

  async close(): Promise<void> {
    this.#closed = true;
    const seat = await this.#seat?.catch(() => null);
    await seat?.close();
  }

  async #ask<T>(call: (catalog: Catalog) => Promise<T>): Promise<T> {
    const asked = this.#take();
    const seat = await asked;
    try {
      return await call(seat.catalog);
    } catch (thrown) {
      if (!seat.remote || !isGone(thrown)) throw thrown;
      if (this.#seat === asked) this.#seat = null;
      return call((await this.#take()).catalog);
    }
  }

  #take(): Promise<Seat> {
    if (this.#seat !== null) return this.#seat;
    const seat = this.#open();
    this.#seat = seat;
    seat.catch(() => {
      if (this.#seat === seat) this.#seat = null;
    });
    return seat;
  }

  async #open(): Promise<Seat> {
    const { data_dir: dataDir } = this.#options.settings;
    for (const deadline = Date.now() + SEAT_WAIT_MS; ; ) {
      if (this.#closed) throw new DowserError('ENGINE_UNAVAILABLE', 'The registry is closed.');
      const server = await findServer(dataDir);
      if (server !== undefined) return { catalog: server.registry, remote: true, close: async () => {} };
      try {
        return await this.#own();
      } catch (thrown) {
        if (toDowserError(thrown).code !== 'STORE_LOCKED' || Date.now() > deadline) throw thrown;
        await new Promise((resolve) => setTimeout(resolve, SEAT_RETRY_MS));
      }
    }
  }

  async #own(): Promise<Seat> {
    const { settings, version, logger } = this.#options;
    const { openEmbedderFor, openRegistry } = await import('../open.ts');
    const { startServer } = await import('../http/server.ts');
    const embedder = await openEmbedderFor(settings, {
      onWarning: (error) => logger.warn({ reason: String(error) }, 'embeddings'),
    });
    const registry = await openRegistry(settings, {
      embedder,
      onEmbedError: (thrown, retryInMs) =>
        logger.warn({ code: toDowserError(thrown).code, retry_in_ms: retryInMs }, 'embedding failed'),
    });
    embedder.warm().catch((error: unknown) => {
      // A client that leaves meanwhile ends the loading: nothing failed.
      if (!this.#closed) logger.warn({ code: toDowserError(error).code }, 'model not loaded');
    });
    if (settings.engine === 'memory') return { catalog: registry, remote: false, close: () => registry.close() };
    const address = { ...settings, host: '127.0.0.1', port: 0 };
    const server = await startServer({ registry, version, logger, settings: address }).catch(async (thrown) => {
      await registry.close();
      throw thrown;
    });
    await writeServerFile(settings.data_dir, server.url, 'mcp');
    return {
      catalog: registry,
      remote: false,
      async close() {
        await removeServerFile(settings.data_dir);
        await server.close();
      },
    };
  }
}
