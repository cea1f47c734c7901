import type { Engine } from '../../engines/engine.ts';
import type { StoredEntity } from '../../engines/store.ts';
import type { UnitVector } from '../../engines/vector-upkeep.ts';
import { ENTITY_TYPES, type EntityId, type EntityType, entityId, splitEntityId } from '../../model/entity.ts';
import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';
import type { UnitId } from '../../model/unit.ts';
import { toIndexed } from '../write/publish.ts';
import type { ServedModel } from './served-model.ts';

/** Looking after the vectors: which are missing, which are stale, computing them anew. */
export interface Maintenance {
  /** Units that have no vector of the embedder that is served, by entity. An empty vector is none. */
  missingVectors(query?: VectorQuery): Promise<MissingVectors>;
  /** Vectors of embedders that are neither served nor being built, by entity. */
  staleVectors(query?: VectorQuery): Promise<StaleVectors>;
  /** Deletes stale vectors, of some entities or of all. */
  cleanUpStaleVectors(target: MaintenanceTarget): Promise<CleanUp>;
  /**
   * Computes vectors anew with the embedder that the settings name, past every cache. What is there answers until then.
   * A second call for everything joins the first. Throws what the embedder throws; what was done by then stays.
   */
  reindex(target: MaintenanceTarget, options?: ReindexOptions): Promise<Reindex>;
}

/** Paths (`/fetch`, of whatever type) or ids (`mcp_server:/fetch`), at most `MAX_PATHS`; or everything. */
export type MaintenanceTarget = { readonly paths: readonly string[] } | { readonly all: true };
export const MAX_PATHS = 100;

export interface VectorQuery {
  /** How many units to list, 1 to `MAX_LISTED`. Default 100. */
  readonly limit?: number;
}
export const MAX_LISTED = 1000;

export interface ReindexOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

export interface MissingVectors {
  /** Whose vectors; null without an embedder. */
  readonly embedder: string | null;
  /** Of all units, also those not listed. */
  readonly total: number;
  readonly entities: readonly EntityUnits[];
}

export interface EntityUnits {
  readonly entity_type: EntityType;
  readonly path: string;
  /** Keys of units: `card`, `tool:NAME`. */
  readonly units: readonly string[];
}

export interface StaleVectors {
  readonly total: number;
  readonly entities: readonly (EntityUnits & { readonly embedder: string })[];
}

export interface CleanUp {
  readonly removed: number;
  readonly not_found: readonly string[];
}

export interface Reindex {
  readonly entities: number;
  readonly vectors: number;
  readonly not_found: readonly string[];
}

export interface MaintenanceParts {
  readonly engine: Engine;
  readonly model: ServedModel | null;
  /** Told when computing everything anew fails: whoever began it may not wait for the end. */
  readonly onError: ((error: unknown) => void) | undefined;
}

const PAGE = 50;
const TEXTS_AT_ONCE = 128;
const DROP_AT_ONCE = 500;

/** `close` ends a run for everything; `progress` says how far it is. */
export function createMaintenance(parts: MaintenanceParts): Maintenance & {
  progress(): { readonly done: number; readonly total: number } | null;
  close(): Promise<void>;
} {
  const { engine, model } = parts;
  const stop = new AbortController();
  let running: { readonly work: Promise<Reindex>; done: number; total: number } | null = null;

  /** Entities in the order of their paths, and what there is nothing for. */
  async function resolve({ paths }: { readonly paths: readonly string[] }) {
    checkPaths(paths);
    const found = new Map<EntityId, StoredEntity>();
    const missing: string[] = [];
    for (const path of paths) {
      const records = await engine.store.getMany(spellingsOf(path));
      if (records.length === 0) missing.push(path);
      for (const record of records) found.set(record.id, record);
    }
    return { records: [...found.values()], missing };
  }

  /** Embeds every unit of these entities; returns how many vectors were stored. */
  async function embedAll(records: readonly StoredEntity[], signal: AbortSignal): Promise<number> {
    const { embedder } = wanted(model);
    let stored = 0;
    const units = records.flatMap(({ entity }) => toIndexed(entity).units).filter(({ textHash }) => textHash !== '');
    for (let from = 0; from < units.length; from += TEXTS_AT_ONCE) {
      signal.throwIfAborted();
      const some = units.slice(from, from + TEXTS_AT_ONCE);
      const texts = some.map(({ embedText }) => embedText);
      const vectors = await embedder.embed(texts, { as: 'document', fresh: true, signal });
      const made = some.map(({ id, textHash }, i): UnitVector => ({ unit: id, textHash, vector: vectors[i]! }));
      const kept = await engine.vectors.put(made, embedder.id);
      stored += kept;
      if (kept < made.length) stored += await indexAnew(made, embedder.id);
    }
    return stored;
  }

  /** Units as an older version of Dowser derived them have other texts: the entity is indexed again, as it is now. */
  async function indexAnew(made: readonly UnitVector[], embedder: string): Promise<number> {
    const owners = new Set(made.map(({ unit }) => unit.slice(0, unit.lastIndexOf('#')) as EntityId));
    await parts.engine.store.inTurn(async () => {
      const records = await engine.store.getMany([...owners]);
      await engine.store.put(records.map(({ entity }) => toIndexed(entity)));
    });
    return engine.vectors.put(made, embedder);
  }

  async function everything(onProgress: ReindexOptions['onProgress'], signal: AbortSignal): Promise<Reindex> {
    let entities = 0;
    let vectors = 0;
    let after: string | undefined;
    const { entities: total } = await engine.index.stats();
    do {
      signal.throwIfAborted();
      const page = await engine.store.scan({ limit: PAGE, ...(after === undefined ? {} : { after }) });
      vectors += await embedAll(page.entities, signal);
      entities += page.entities.length;
      if (running !== null) Object.assign(running, { done: entities, total });
      onProgress?.({ done: entities, total: Math.max(total, entities) });
      after = page.cursor;
    } while (after !== undefined);
    return { entities, vectors, not_found: [] };
  }

  return {
    async missingVectors(query = {}) {
      const limit = limitOf(query);
      const [pending, { missingVectors: total }] = await Promise.all([
        engine.vectors.missing(limit),
        engine.index.stats(),
      ]);
      const units = byEntity(pending.map(({ unit }) => ({ unit, group: '' })));
      return {
        embedder: engine.vectors.embedder?.id ?? null,
        total,
        entities: units.map(({ group: _, ...rest }) => rest),
      };
    },
    async staleVectors(query = {}) {
      const [stale, { staleVectors: total }] = await Promise.all([
        engine.vectors.stale(limitOf(query)),
        engine.index.stats(),
      ]);
      const units = byEntity(stale.map(({ unit, embedder }) => ({ unit, group: embedder })));
      return { total, entities: units.map(({ group, ...rest }) => ({ ...rest, embedder: group })) };
    },
    async cleanUpStaleVectors(target) {
      const { records, missing } = 'all' in target ? { records: undefined, missing: [] } : await resolve(target);
      // A search that began with the old model ends with it.
      await model?.settled();
      const ids = records?.map(({ id }) => id);
      let removed = 0;
      for (let some = 1; some > 0 && !stop.signal.aborted; removed += some) {
        some = await engine.vectors.dropStale(DROP_AT_ONCE, ids);
        await new Promise((resolved) => setImmediate(resolved));
      }
      return { removed, not_found: missing };
    },
    async reindex(target, { signal, onProgress } = {}) {
      wanted(model);
      const until = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
      if ('all' in target) {
        if (running === null) {
          const work = everything(onProgress, until).finally(() => {
            running = null;
          });
          work.catch((error: unknown) => {
            if (!until.aborted) parts.onError?.(error);
          });
          running = { work, done: 0, total: 0 };
        }
        return running.work;
      }
      const { records, missing } = await resolve(target);
      return { entities: records.length, vectors: await embedAll(records, until), not_found: missing };
    },
    progress: () => (running === null ? null : { done: running.done, total: running.total }),
    async close() {
      stop.abort();
      await running?.work.catch(() => undefined);
    },
  };
}

/** The model that the settings name: what is computed with any other is soon of no use. */
function wanted(model: ServedModel | null) {
  if (model !== null) return model.next ?? model.serving;
  throw new DowserError('EMBEDDER_UNAVAILABLE', 'No embedding model is configured.', {
    hint: 'Set EMBEDDINGS_PROVIDER to local, openai, bedrock or ollama.',
  });
}

function limitOf({ limit = 100 }: VectorQuery): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LISTED) return limit;
  throw new DowserError('INVALID_REQUEST', `'limit' is ${showValue(limit)}: must be from 1 to ${MAX_LISTED}.`, {
    field: 'limit',
  });
}

function checkPaths(paths: readonly string[]): void {
  if (paths.length >= 1 && paths.length <= MAX_PATHS) return;
  throw new DowserError('INVALID_REQUEST', `'paths' has ${paths.length} paths: 1 to ${MAX_PATHS} are allowed.`, {
    field: 'paths',
    hint: 'Send them in parts, or {"all": true} for everything.',
  });
}

/** A path may be of any type; an id names one. Leading slashes are often left out. */
function spellingsOf(path: string): readonly EntityId[] {
  const type = ENTITY_TYPES.find((candidate) => path.startsWith(`${candidate}:`));
  const rest = type === undefined ? path : path.slice(type.length + 1);
  const types = type === undefined ? ENTITY_TYPES : [type];
  return types.flatMap((candidate) => [entityId(candidate, rest), entityId(candidate, `/${rest}`)]);
}

interface Listed {
  readonly unit: UnitId;
  readonly group: string;
}

/** Units in the order given, gathered under their entity; entities apart by `group`. */
function byEntity(listed: readonly Listed[]): readonly (EntityUnits & { readonly group: string })[] {
  const found = new Map<string, EntityUnits & { readonly group: string; readonly units: string[] }>();
  for (const { unit, group } of listed) {
    // A key has no '#' of its own.
    const end = unit.lastIndexOf('#');
    const { type, path } = splitEntityId(unit.slice(0, end) as EntityId);
    const key = `${group}\n${unit.slice(0, end)}`;
    const entry = found.get(key) ?? { entity_type: type, path, units: [], group };
    entry.units.push(unit.slice(end + 1));
    found.set(key, entry);
  }
  return [...found.values()];
}
