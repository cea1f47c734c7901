import type { Embedder, EmbedderState } from '../embedders/embedder.ts';
import type { Engine, StoredEntity } from '../engines/engine.ts';
import { type EntityId, type EntityType, entityId, parseEntityType } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import type { SearchRequestInput } from '../model/query.ts';
import { EmbedQueue } from './embed-queue.ts';
import { type PublishParts, putMany, putOne } from './publish.ts';
import type { EmbedPendingOptions, EntityRecord, Health, PutOptions, Registry } from './registry.ts';
import { search } from './search.ts';

export interface RegistryParts {
  readonly engine: Engine;
  /** null: a registry by keyword only. */
  readonly embedder: Embedder | null;
  readonly embedderState: () => EmbedderState;
  readonly version: string;
  /** Where the data is, for health reports. */
  readonly dataPath: string | null;
  readonly indexingWaitMs: number;
  /** Embed what is missing in the background. */
  readonly background: boolean;
  readonly onEmbedError?: (error: unknown, retryInMs: number) => void;
}

const PAGE = 500;

function toRecord({ entity, createdAt, updatedAt }: StoredEntity): EntityRecord {
  return { entity, created_at: createdAt, updated_at: updatedAt };
}

/** Puts a registry together from its parts. Closing it closes the engine and the embedder. */
export function createRegistry(parts: RegistryParts): Registry {
  const { engine, embedder } = parts;
  const queue =
    embedder === null
      ? null
      : new EmbedQueue({
          engine,
          embedder,
          background: parts.background,
          ...(parts.onEmbedError === undefined ? {} : { onError: parts.onEmbedError }),
        });
  const publish: PublishParts = { engine, queue, waitMs: parts.indexingWaitMs };
  let closing: Promise<void> | null = null;

  /** The stored entity of a path, or of the path with its leading slash: people leave it out of URLs. */
  async function find(type: EntityType, path: string): Promise<StoredEntity> {
    const ids = [entityId(parseEntityType(type), path), entityId(type, `/${path}`)];
    const [found] = await engine.getMany(ids);
    if (found !== undefined) return found;
    throw new DowserError('NOT_FOUND', `There is no ${type} at '${path}'.`, {
      hint: 'Search for it, or check the spelling of the path: it is case-sensitive.',
    });
  }

  async function* all(types?: readonly EntityType[]): AsyncGenerator<EntityRecord> {
    let after: string | undefined;
    do {
      const page = await engine.scan({
        limit: PAGE,
        ...(types === undefined ? {} : { types }),
        ...(after === undefined ? {} : { after }),
      });
      for (const stored of page.entities) yield toRecord(stored);
      after = page.cursor;
    } while (after !== undefined);
  }

  async function health(): Promise<Health> {
    const stats = await engine.stats();
    const state = parts.embedderState();
    const degraded = state.state === 'down' || (embedder !== null && stats.missingVectors > 0);
    return {
      status: degraded ? 'degraded' : 'ok',
      version: parts.version,
      store: { engine: engine.name, path: parts.dataPath, bytes: stats.bytes ?? null },
      index: {
        entities: stats.entities,
        units: stats.units,
        vectors: stats.vectors,
        missing_vectors: stats.missingVectors,
        by_type: stats.byType,
      },
      embedder: {
        id: embedder?.id ?? null,
        state: state.state,
        ...(state.error === undefined ? {} : { error: state.error }),
        ...(state.retryAt === undefined ? {} : { retry_at: state.retryAt }),
      },
    };
  }

  async function close(): Promise<void> {
    await queue?.close();
    await embedder?.close();
    await engine.close();
  }

  queue?.kick();
  return {
    search: (request: SearchRequestInput) => search({ engine, embedder, embedderState: parts.embedderState }, request),
    put: (entity: unknown, options?: PutOptions) => putOne(publish, entity, options),
    putMany: (entities: readonly unknown[], options?: PutOptions) => putMany(publish, entities, options),
    get: async (type: EntityType, path: string) => toRecord(await find(type, path)),
    async delete(type: EntityType, path: string) {
      const { id } = await find(type, path);
      await engine.delete([id as EntityId]);
    },
    all,
    async embedPending({ onProgress, signal }: EmbedPendingOptions = {}) {
      if (queue === null) {
        throw new DowserError('EMBEDDER_UNAVAILABLE', 'No embedding model is configured.', {
          hint: 'Set EMBEDDINGS_PROVIDER to local or openai.',
        });
      }
      const embedded = await queue.drain(onProgress, signal);
      return { embedded, remaining: (await engine.stats()).missingVectors };
    },
    health,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
