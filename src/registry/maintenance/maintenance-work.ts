import type { Engine } from '../../engines/engine.ts';
import type { Store, StoredEntity } from '../../engines/store.ts';
import type { UnitVector } from '../../engines/vector-upkeep.ts';
import { ENTITY_TYPES, type EntityId, entityId, splitEntityId } from '../../model/entity.ts';
import type { UnitId } from '../../model/entity-parts/unit.ts';
import { toDowserError } from '../../model/errors/errors.ts';
import { parseWith } from '../../model/parse/parse.ts';
import { compareIds } from '../../search/retrieval/compare-ids.ts';
import type { EntityUnits, Reindex, ReindexProgress } from '../contract/answers.ts';
import { type Maintenance, type ReindexOptions, targetSchema, vectorQuerySchema } from '../contract/maintenance.ts';
import { dropStale } from '../vectors/embed-queue.ts';
import { noModel, type ServedModel } from '../vectors/served-model.ts';
import { inSteps } from '../write/parse-batch.ts';
import { toIndexed } from '../write/publish.ts';
import { SharedReindex } from './shared-reindex.ts';

export interface MaintenanceParts {
  readonly engine: Engine;
  readonly model: ServedModel | null;
  /** Whether this process re-embeds what others asked for. */
  readonly background: boolean;
  /** Called if re-embedding everything fails, because the caller may not wait for its end. */
  readonly onError: ((error: unknown) => void) | undefined;
}

const PAGE = 50;
const TEXTS_AT_ONCE = 128;

/** The work on vectors. The registries of all callers share it. */
export interface MaintenanceWork {
  /** For one caller. `store` and `readers` limit what it sees. */
  within(store: Store, readers: readonly string[] | undefined): Maintenance;
  /** How far a run for everything is, or how the last one failed. */
  progress(): ReindexProgress | null;
  /** Call it when another process has written. */
  follow(): void;
  /** Ends a run for everything. */
  close(): Promise<void>;
}

export function createMaintenance(parts: MaintenanceParts): MaintenanceWork {
  const { engine, model } = parts;
  const stop = new AbortController();
  let running: { readonly work: Promise<Reindex>; done: number; total: number } | null = null;
  let failed: ReindexProgress | null = null;

  /** Embeds every unit of these entities; returns how many vectors were stored. */
  async function embedAll(records: readonly StoredEntity[], signal: AbortSignal): Promise<number> {
    const { embedder } = wanted(model);
    let stored = 0;
    const indexed = await inSteps(records, ({ entity }) => toIndexed(entity));
    const units = indexed.flatMap((one) => one.units).filter(({ textHash }) => textHash !== '');
    for (let from = 0; from < units.length; from += TEXTS_AT_ONCE) {
      signal.throwIfAborted();
      const some = units.slice(from, from + TEXTS_AT_ONCE);
      const texts = some.map(({ embedText }) => embedText);
      const vectors = await embedder.embed(texts, { as: 'document', fresh: true, retry: true, signal });
      const made = some.map(({ id, textHash }, i): UnitVector => ({ unit: id, textHash, vector: vectors[i]! }));
      const kept = await engine.vectors.put(made, embedder.id);
      stored += kept;
      if (kept < made.length) stored += await reindexUnits(made, embedder.id);
    }
    return stored;
  }

  /** Embeds the entities after a cursor. */
  async function embedPage(store: Store, after: string | null, signal: AbortSignal) {
    signal.throwIfAborted();
    const { entities, cursor = null } = await store.scan({ limit: PAGE, ...(after === null ? {} : { after }) });
    return { entities: entities.length, vectors: await embedAll(entities, signal), after: cursor };
  }

  /** Of several processes, the one that embeds does it. */
  const shared =
    engine.replica === null || model === null
      ? null
      : new SharedReindex({
          replica: engine.replica,
          embedder: () => wanted(model).embedder.id,
          background: parts.background,
          total: async () => (await engine.index.stats()).entities,
          embedPage: (after, signal) => embedPage(engine.store, after, signal),
          onError: parts.onError,
        });

  /** An older version of Dowser derived other units and texts. Index the entity again first. */
  async function reindexUnits(made: readonly UnitVector[], embedder: string): Promise<number> {
    const owners = new Set(made.map(({ unit }) => ownerOf(unit)));
    await engine.store.inTurn(async () => {
      const records = await engine.store.getMany([...owners]);
      await engine.store.put(await inSteps(records, ({ entity }) => toIndexed(entity)));
    });
    return engine.vectors.put(made, embedder);
  }

  function within(store: Store, readers: readonly string[] | undefined): Maintenance {
    /** The entities of these paths, in order, and the paths without one. */
    async function resolve({ paths }: { readonly paths: readonly string[] }) {
      const found = new Map<EntityId, StoredEntity>();
      const missing: string[] = [];
      for (const path of paths) {
        const records = await store.getMany(spellingsOf(path));
        if (records.length === 0) missing.push(path);
        for (const record of records) found.set(record.id, record);
      }
      return { records: [...found.values()], missing };
    }

    /** The units of a list that the caller may read, in the order of their ids: that of an engine would tell of the others. */
    async function readable<T extends { readonly unit: UnitId }>(
      list: () => Promise<readonly T[]>,
    ): Promise<readonly T[]> {
      const units = await list();
      if (readers === undefined) return units;
      const owners = await store.getMany([...new Set(units.map(({ unit }) => ownerOf(unit)))]);
      const ids = new Set(owners.map(({ id }) => id));
      return units.filter(({ unit }) => ids.has(ownerOf(unit))).sort((a, b) => compareIds(a.unit, b.unit));
    }
    const stale = () => readable(() => engine.vectors.stale(Number.MAX_SAFE_INTEGER));

    async function everything(onProgress: ReindexOptions['onProgress'], signal: AbortSignal): Promise<Reindex> {
      let entities = 0;
      let vectors = 0;
      let after: string | null = null;
      const { entities: total } = await engine.index.stats(undefined, readers);
      do {
        const page = await embedPage(store, after, signal);
        vectors += page.vectors;
        entities += page.entities;
        if (running !== null && readers === undefined) Object.assign(running, { done: entities, total });
        onProgress?.({ done: entities, total: Math.max(total, entities) });
        after = page.after;
      } while (after !== null);
      return { entities, vectors, not_found: [] };
    }

    return {
      async missingVectors(query = {}) {
        const { limit } = parseWith(vectorQuerySchema, query, 'list');
        const [pending, { missingVectors: total }] = await Promise.all([
          readable(async () => (await engine.vectors.missingIds()).map((unit) => ({ unit }))),
          engine.index.stats(undefined, readers),
        ]);
        const entities = byEntity(pending.slice(0, limit), () => ({}));
        return { embedder: engine.vectors.embedder?.id ?? null, total, total_entities: ownersIn(pending), entities };
      },
      async staleVectors(query = {}) {
        const { limit } = parseWith(vectorQuerySchema, query, 'list');
        const [found, { staleVectors: total }] = await Promise.all([stale(), engine.index.stats(undefined, readers)]);
        const entities = byEntity(found.slice(0, limit), ({ embedder }) => ({ embedder }));
        return { total, total_entities: ownersIn(found), entities };
      },
      async cleanUpStaleVectors(target) {
        const checked = parseWith(targetSchema, target, 'request');
        const { records, missing } = 'all' in checked ? { records: null, missing: [] } : await resolve(checked);
        // A search that began with the old model ends with it.
        await model?.settled();
        const ids =
          records?.map(({ id }) => id) ??
          (readers === undefined ? undefined : (await stale()).map(({ unit }) => ownerOf(unit)));
        return { removed: await dropStale(engine, () => stop.signal.aborted, ids), not_found: missing };
      },
      async reindex(target, { signal, onProgress } = {}) {
        const checked = parseWith(targetSchema, target, 'request');
        wanted(model);
        const until = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
        if ('paths' in checked) {
          const { records, missing } = await resolve(checked);
          return { entities: records.length, vectors: await embedAll(records, until), not_found: missing };
        }
        if (readers !== undefined) return everything(onProgress, until);
        if (shared !== null) return shared.ask(signal, onProgress);
        if (running === null) {
          const work = everything(onProgress, until).finally(() => {
            running = null;
          });
          const run = { work, done: 0, total: 0 };
          work.catch((error: unknown) => {
            if (until.aborted) return;
            const { code, message } = toDowserError(error);
            failed = { done: run.done, total: run.total, failed: { code, message } };
            parts.onError?.(error);
          });
          running = run;
          failed = null;
        }
        return running.work;
      },
    };
  }

  return {
    within,
    progress: () => shared?.progress() ?? (running === null ? failed : { done: running.done, total: running.total }),
    follow: () => shared?.follow(),
    async close() {
      stop.abort();
      await shared?.close();
      await running?.work.catch(() => undefined);
    },
  };
}

/** A key never contains '#'. */
const ownerOf = (unit: UnitId): EntityId => unit.slice(0, unit.lastIndexOf('#')) as EntityId;

const ownersIn = (units: readonly { readonly unit: UnitId }[]): number =>
  new Set(units.map(({ unit }) => ownerOf(unit))).size;

/** The model of the settings: vectors of any other are stale soon. */
function wanted(model: ServedModel | null) {
  if (model === null) throw noModel();
  return model.next ?? model.serving;
}

/** A path without a type matches every type. The leading slash is optional. */
function spellingsOf(path: string): readonly EntityId[] {
  const type = ENTITY_TYPES.find((candidate) => path.startsWith(`${candidate}:`));
  const rest = type === undefined ? path : path.slice(type.length + 1);
  const types = type === undefined ? ENTITY_TYPES : [type];
  return types.flatMap((candidate) => [entityId(candidate, rest), entityId(candidate, `/${rest}`)]);
}

/** Gathers units under their entity, in the order given. Entities with other `facts` are listed apart. */
function byEntity<T extends { readonly unit: UnitId }, F extends object>(
  listed: readonly T[],
  factsOf: (item: T) => F,
): readonly (EntityUnits & F)[] {
  const found = new Map<string, EntityUnits & F & { readonly units: string[] }>();
  for (const item of listed) {
    const owner = ownerOf(item.unit);
    const facts = factsOf(item);
    const key = `${JSON.stringify(facts)} ${owner}`;
    const { type, path } = splitEntityId(owner);
    const entry = found.get(key) ?? { entity_type: type, path, units: [], ...facts };
    entry.units.push(item.unit.slice(owner.length + 1));
    found.set(key, entry);
  }
  return [...found.values()];
}
