import type { Embedder } from '../../embedders/embedder.ts';
import type { Index } from '../../engines/index-port.ts';
import type { Store } from '../../engines/store.ts';
import { ENTITY_TYPES, type Entity, type EntityId } from '../../model/entity.ts';
import { yieldToSearches } from '../../turns/search-turns.ts';
import type { CatalogMap, MapPoint } from '../contract/map-schemas.ts';
import type { EntityRows } from '../view/entity-view.ts';
import { layOut } from './layout.ts';

/** What one caller may read. */
export interface MapView {
  readonly store: Store;
  readonly view: EntityRows;
  /** Undefined: everything. */
  readonly readers: readonly string[] | undefined;
}

const MAX_ENTITIES = 5000;
/** A place comes from the cosines with this many other entities of the same view. */
const LANDMARKS = 48;
const MAX_LANDMARK_CHARS = 500;
const MAX_NAME_CHARS = 90;
const READ_AT_ONCE = 500;
/** Views whose map is kept. */
const MAX_KEPT = 8;

interface Kept {
  readonly of: string;
  readonly map: Promise<CatalogMap>;
}

/**
 * The map of each view, computed once until something changes. It is made of what its caller may read alone: other entities
 * change no place. Computed in slices, and searches go first.
 */
export class CatalogMaps {
  readonly #index: Index;
  readonly #kept = new Map<string, Kept>();

  constructor(index: Index) {
    this.#index = index;
  }

  async of(view: MapView, embedder: Embedder | null): Promise<CatalogMap> {
    const { store, readers } = view;
    const key = JSON.stringify(readers ?? null);
    const { vectors } = await this.#index.stats(embedder?.id, readers);
    const of = JSON.stringify([store.changes(null).revision, embedder?.id, vectors]);
    const known = this.#kept.get(key);
    // The one that was asked for last is the last to go.
    this.#kept.delete(key);
    const kept = known?.of === of ? known : { of, map: this.#make(view, embedder) };
    this.#kept.set(key, kept);
    for (const oldest of this.#kept.keys()) if (this.#kept.size > MAX_KEPT) this.#kept.delete(oldest);
    try {
      return await kept.map;
    } catch (error) {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
      throw error;
    }
  }

  async #make({ store, view, readers }: MapView, embedder: Embedder | null): Promise<CatalogMap> {
    const all: EntityId[] = [];
    for (const type of ENTITY_TYPES) {
      for (const { id, is_enabled, status } of await view.rows(type)) {
        if (is_enabled && (status === 'active' || status === 'beta')) all.push(id);
      }
    }
    const sample = sampleOf(all);
    const counts = { total: all.length, sampled: sample.length };
    if (embedder === null) return { ...counts, points: [], without_vector: sample.length, embedder: null };
    const entities = await readAll(store, sample);
    const cosines = await this.#cosines(entities, embedder, readers);
    const placed = [...entities.keys()].filter((id) => cosines.has(id));
    const features = Float32Array.from(placed.flatMap((id) => cosines.get(id)!));
    const places = await inSlices(layOut(features, placed.length === 0 ? 0 : features.length / placed.length));
    const points = placed.map((id, at) => pointOf(entities.get(id)!, places[2 * at]!, places[2 * at + 1]!));
    return { ...counts, points, without_vector: sample.length - points.length, embedder: embedder.id };
  }

  /** The cosines of the card of each entity with those of the landmarks. Entities without a vector are left out. */
  async #cosines(
    entities: ReadonlyMap<EntityId, Entity>,
    embedder: Embedder,
    readers: readonly string[] | undefined,
  ): Promise<ReadonlyMap<EntityId, readonly number[]>> {
    const ids = [...entities.keys()];
    const texts = [...entities.values()].slice(0, LANDMARKS).map(textOf);
    const vectors = await embedder.embed(texts, { as: 'document' });
    const cosines = new Map<EntityId, number[]>();
    for (const [at, values] of vectors.entries()) {
      await yieldToSearches();
      const found = await this.#index.retrieve({
        text: '',
        parts: [],
        filter: { entities: ids, unitKinds: ['card'], ...(readers === undefined ? {} : { readers }) },
        hashtags: [],
        anchors: [],
        keyword: { scorer: 'bm25f', limit: 0 },
        vector: { values, parts: [], embedder: embedder.id, limit: ids.length, perType: false },
        crossScores: false,
        cards: false,
        results: 0,
        toolsAsResults: false,
      });
      for (const { entity, vector } of found.vector ?? []) {
        const own = cosines.get(entity) ?? [];
        if (own.length === 0) cosines.set(entity, own);
        if (own.length === at) own.push(vector ?? 0);
      }
    }
    // One that came or went meanwhile.
    return new Map([...cosines].filter(([, own]) => own.length === vectors.length));
  }
}

async function inSlices<T>(work: Generator<void, T>): Promise<T> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    await yieldToSearches();
  }
}

/** Always the same ones, whatever else comes: those with the least hash. */
export function sampleOf(ids: readonly EntityId[], most = MAX_ENTITIES): readonly EntityId[] {
  return ids
    .map((id) => ({ id, hash: hashOf(id) }))
    .sort((a, b) => a.hash - b.hash || (a.id < b.id ? -1 : 1))
    .slice(0, most)
    .map(({ id }) => id);
}

/** FNV-1a, mixed: ids that differ in their last letter only are far apart. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** In the order of the ids. */
async function readAll(store: Store, ids: readonly EntityId[]): Promise<ReadonlyMap<EntityId, Entity>> {
  const entities = new Map<EntityId, Entity>();
  for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
    await yieldToSearches();
    const records = await store.getMany(ids.slice(from, from + READ_AT_ONCE));
    const byId = new Map(records.map(({ id, entity }) => [id, entity]));
    for (const id of ids.slice(from, from + READ_AT_ONCE)) {
      const entity = byId.get(id);
      if (entity !== undefined) entities.set(id, entity);
    }
  }
  return entities;
}

const contentOf = (entity: Entity): string => (entity.type === 'memory' ? entity.content : entity.description);

const textOf = (entity: Entity): string => `${entity.name}\n${contentOf(entity)}`.slice(0, MAX_LANDMARK_CHARS);

function pointOf(entity: Entity, x: number, y: number): MapPoint {
  const { type: entity_type, path, name } = entity;
  const shown = [name, contentOf(entity).slice(0, MAX_NAME_CHARS), path].find((text) => text.trim() !== '') ?? path;
  return { entity_type, path, name: shown, x: rounded(x), y: rounded(y) };
}

const rounded = (value: number): number => Math.min(1, Math.max(0, Math.round(value * 10_000) / 10_000));
