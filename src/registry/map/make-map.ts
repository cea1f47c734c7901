import { createHash } from 'node:crypto';
import type { Embedder } from '../../embedders/embedder.ts';
import type { Engine } from '../../engines/engine.ts';
import type { Store, StoredEntity } from '../../engines/store.ts';
import { ENTITY_TYPES, type Entity, type EntityId } from '../../model/entity.ts';
import { unitId } from '../../model/entity-parts/unit.ts';
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

/** What a map of a view would be made of. */
export interface MapContents {
  readonly total: number;
  readonly sample: readonly EntityId[];
  /** The same for the same entities, texts, missing vectors and model. */
  readonly digest: string;
}

/** A map, and the digest of what it is made of. */
export interface MadeMap {
  readonly digest: string;
  readonly map: Omit<CatalogMap, 'is_current'>;
}

export const MAX_ENTITIES = 5000;
/** A place comes from the cosines with this many other entities of the same view. */
const LANDMARKS = 48;
const MAX_LANDMARK_CHARS = 500;
const MAX_NAME_CHARS = 90;
const READ_AT_ONCE = 200;
const HASHED_AT_ONCE = 5000;
const HASH_BITS = 32;
/** Ids are first sorted into buckets by these bits of their hash, so that only a few have to be compared. */
const BUCKET_BITS = 16;

/** The entities in use, of those that the caller may read. */
export async function inUse(view: EntityRows): Promise<readonly EntityId[]> {
  const ids: EntityId[] = [];
  for (const type of ENTITY_TYPES) {
    for (const { id, is_enabled, status } of await view.rows(type)) {
      if (is_enabled && (status === 'active' || status === 'beta')) ids.push(id);
    }
    await yieldToSearches();
  }
  return ids;
}

/** Reads the sampled entities, but computes no place. In slices. */
export async function contentsOf(
  { store, view }: MapView,
  vectors: Engine['vectors'],
  embedder: Embedder,
): Promise<MapContents> {
  const ids = await inUse(view);
  const sample = await sampleOf(ids);
  const { digest } = await readAll(store, vectors, embedder, ids.length, sample);
  return { total: ids.length, sample, digest };
}

/** The digest is that of the entities as they were read for this map: one may have changed since `contents`. */
export async function makeMap(
  { store, readers }: MapView,
  { index, vectors }: Pick<Engine, 'index' | 'vectors'>,
  embedder: Embedder,
  { total, sample }: MapContents,
  signal: AbortSignal,
): Promise<MadeMap> {
  const { digest, entities } = await readAll(store, vectors, embedder, total, sample);
  signal.throwIfAborted();
  const cosines = await cosinesOf(entities, index, embedder, readers, signal);
  const placed = [...entities.keys()].filter((id) => cosines.has(id));
  const dimensions = placed.length === 0 ? 0 : cosines.get(placed[0]!)!.length;
  const features = new Float32Array(placed.length * dimensions);
  for (const [at, id] of placed.entries()) features.set(cosines.get(id)!, at * dimensions);
  const places = await inSlices(layOut(features, dimensions), signal);
  const points = placed.map((id, at) => pointOf(entities.get(id)!, places[2 * at]!, places[2 * at + 1]!));
  const counts = { total, sampled: sample.length, without_vector: sample.length - points.length };
  return { digest, map: { points, ...counts, embedder: embedder.id } };
}

/** The cosines of the card of each entity with those of the landmarks. Entities without a vector are left out. */
async function cosinesOf(
  entities: ReadonlyMap<EntityId, Entity>,
  index: Engine['index'],
  embedder: Embedder,
  readers: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<ReadonlyMap<EntityId, readonly number[]>> {
  const ids = [...entities.keys()];
  const texts = [...entities.values()].slice(0, LANDMARKS).map(textOf);
  const vectors = await embedder.embed(texts, { as: 'document', signal });
  const cosines = new Map<EntityId, number[]>();
  for (const [at, values] of vectors.entries()) {
    await yieldToSearches();
    signal.throwIfAborted();
    const found = await index.retrieve({
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

async function inSlices<T>(work: Generator<void, T>, signal: AbortSignal): Promise<T> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    await yieldToSearches();
    signal.throwIfAborted();
  }
}

/** Always the same ones, whatever else comes: those with the least hash, in that order. In slices. */
export async function sampleOf(ids: readonly EntityId[], most = MAX_ENTITIES): Promise<readonly EntityId[]> {
  const hashes = new Uint32Array(ids.length);
  const sizes = new Uint32Array(2 ** BUCKET_BITS);
  const bucketOf = (hash: number) => hash >>> (HASH_BITS - BUCKET_BITS);
  for (const [at, id] of ids.entries()) {
    if (at % HASHED_AT_ONCE === 0) await yieldToSearches();
    hashes[at] = hashOf(id);
    sizes[bucketOf(hashes[at]!)]! += 1;
  }
  let last = 0;
  for (let count = sizes[0]!; count < most && last < sizes.length - 1; count += sizes[last]!) last += 1;
  const low: { readonly id: EntityId; readonly hash: number }[] = [];
  for (const [at, id] of ids.entries()) {
    if (at % (10 * HASHED_AT_ONCE) === 0) await yieldToSearches();
    if (bucketOf(hashes[at]!) <= last) low.push({ id, hash: hashes[at]! });
  }
  return low
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

/** In the order of the ids, with the digest of what places depend on. */
async function readAll(
  store: Store,
  vectors: Engine['vectors'],
  embedder: Embedder,
  total: number,
  ids: readonly EntityId[],
): Promise<{ readonly digest: string; readonly entities: ReadonlyMap<EntityId, Entity> }> {
  const digest = createHash('sha256').update(JSON.stringify([embedder.id, total]));
  const entities = new Map<EntityId, Entity>();
  for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
    await yieldToSearches();
    const some = ids.slice(from, from + READ_AT_ONCE);
    const waiting = new Set<string>(await vectors.missingIds(some));
    const records = new Map((await store.getMany(some)).map((stored) => [stored.id, stored]));
    for (const id of some) {
      const stored = records.get(id);
      if (stored === undefined) continue;
      entities.set(id, stored.entity);
      digest.update(stateOf(stored, waiting.has(unitId(id, 'card'))));
    }
  }
  return { digest: digest.digest('hex'), entities };
}

/** Ratings, notes and other annotations are not in it. */
const stateOf = ({ id, entity, updatedAt }: StoredEntity, isWaiting: boolean): string =>
  JSON.stringify([id, updatedAt, textOf(entity), isWaiting]);

const contentOf = (entity: Entity): string => (entity.type === 'memory' ? entity.content : entity.description);

const textOf = (entity: Entity): string => `${entity.name}\n${contentOf(entity)}`.slice(0, MAX_LANDMARK_CHARS);

function pointOf(entity: Entity, x: number, y: number): MapPoint {
  const { type: entity_type, path, name } = entity;
  const shown = [name, contentOf(entity).slice(0, MAX_NAME_CHARS), path].find((text) => text.trim() !== '') ?? path;
  return { entity_type, path, name: shown, x: rounded(x), y: rounded(y) };
}

const rounded = (value: number): number => Math.min(1, Math.max(0, Math.round(value * 10_000) / 10_000));
