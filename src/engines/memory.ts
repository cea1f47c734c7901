import type { EmbedderIdentity } from '../model/embedder-identity.ts';
import type { EntityId, EntityType } from '../model/entity.ts';
import { idOf } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import { type Explanation, leaf } from '../model/explanation.ts';
import { type Filter, factsOf, matchesFilter } from '../model/filter.ts';
import { textBoost } from '../search/keyword/text-boost.ts';
import { compareHits, compareIds, type RankedList, type UnitHit } from '../search/ranked-list.ts';
import { type AnalysedUnit, analyzeUnit } from '../search/text/analysed-unit.ts';
import { boostTokens } from '../search/text/boost-tokens.ts';
import { checkBatch, checkVector, noSuchEntity } from './check-batch.ts';
import type {
  Annotation,
  Engine,
  EngineCapabilities,
  EngineStats,
  IndexedEntity,
  IndexedUnit,
  KeywordQuery,
  Page,
  PendingUnit,
  ScanQuery,
  StoredEntity,
  UnitVector,
  VectorQuery,
} from './engine.ts';
import { obviousBm25f, obviousCosine } from './obvious-scorers.ts';

interface HeldUnit {
  readonly unit: IndexedUnit;
  readonly analysed: AnalysedUnit;
  vector: Float32Array | null;
}

interface HeldEntity {
  readonly json: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly units: readonly HeldUnit[];
}

/** A unit with its score and reasons, before filter and order. */
type Scored = readonly [held: HeldUnit, detail: Explanation];

export interface MemoryOptions {
  readonly embedder: EmbedderIdentity | null;
  /** Stamps `createdAt` and `updatedAt`. Default: the clock. */
  readonly now?: () => Date;
}

/**
 * The reference: every promise of the port kept in the most obvious way, by looking at every unit. Nothing is kept when
 * it is closed. For tests and small, passing catalogues: every search reads every unit.
 */
export class MemoryEngine implements Engine {
  readonly name = 'memory';
  readonly capabilities: EngineCapabilities = {
    durable: false,
    exactVectors: true,
    substringBoost: true,
    explains: true,
  };
  readonly embedder: EmbedderIdentity | null;
  readonly #now: () => Date;
  readonly #entities = new Map<EntityId, HeldEntity>();
  readonly #annotations = new Map<EntityId, ReadonlyMap<string, string>>();
  #isClosed = false;

  constructor({ embedder, now = () => new Date() }: MemoryOptions) {
    this.embedder = embedder;
    this.#now = now;
  }

  async put(batch: readonly IndexedEntity[]): Promise<void> {
    this.#checkOpen();
    checkBatch(batch, this.embedder);
    if (batch.length === 0) return;
    const updatedAt = this.#now().toISOString();
    const held = batch.map(({ entity, units }): [EntityId, HeldEntity] => {
      const id = idOf(entity);
      const old = this.#entities.get(id);
      const heldUnits = units.map((unit) => {
        const before = old?.units.find((other) => other.unit.id === unit.id);
        const kept = before?.unit.textHash === unit.textHash ? before.vector : null;
        return { unit, analysed: analyzeUnit(unit.fields), vector: unit.vector?.slice() ?? kept };
      });
      const createdAt = old?.createdAt ?? updatedAt;
      return [id, { json: JSON.stringify(entity), createdAt, updatedAt, units: heldUnits }];
    });
    for (const [id, entity] of held) this.#entities.set(id, entity);
  }

  async delete(ids: readonly EntityId[]): Promise<number> {
    this.#checkOpen();
    for (const id of ids) this.#annotations.delete(id);
    return ids.filter((id) => this.#entities.delete(id)).length;
  }

  async getMany(ids: readonly EntityId[]): Promise<readonly StoredEntity[]> {
    this.#checkOpen();
    return ids.flatMap((id) => this.#read(id) ?? []);
  }

  async scan({ types, after, limit }: ScanQuery): Promise<Page> {
    this.#checkOpen();
    const rest = [...this.#entities.keys()]
      .sort(compareIds)
      .filter((id) => after === undefined || compareIds(id, after) > 0)
      .flatMap((id) => this.#read(id) ?? [])
      .filter(({ entity }) => types === undefined || types.includes(entity.type));
    const entities = rest.slice(0, limit);
    const last = entities.at(-1);
    return rest.length > limit && last !== undefined ? { entities, cursor: last.id } : { entities };
  }

  async annotate(annotations: readonly Annotation[]): Promise<void> {
    this.#checkOpen();
    const changed = new Map<EntityId, Map<string, string>>();
    for (const { id, key, value } of annotations) {
      if (!this.#entities.has(id)) throw noSuchEntity(id);
      const notes = changed.get(id) ?? new Map(this.#annotations.get(id));
      if (value === null) notes.delete(key);
      else notes.set(key, JSON.stringify(value));
      changed.set(id, notes);
    }
    for (const [id, notes] of changed) this.#annotations.set(id, notes);
  }

  async annotationsOf(ids: readonly EntityId[]): Promise<ReadonlyMap<EntityId, Readonly<Record<string, unknown>>>> {
    this.#checkOpen();
    const found = new Map<EntityId, Record<string, unknown>>();
    for (const id of ids) {
      const notes = [...(this.#annotations.get(id) ?? [])].map(([key, json]) => [key, JSON.parse(json)] as const);
      if (notes.length > 0) found.set(id, Object.fromEntries(notes));
    }
    return found;
  }

  async annotated(key: string): Promise<ReadonlyMap<EntityId, unknown>> {
    this.#checkOpen();
    const ids = [...this.#annotations.keys()].sort(compareIds);
    const found = ids.flatMap((id): [EntityId, unknown][] => {
      const json = this.#annotations.get(id)?.get(key);
      return json === undefined ? [] : [[id, JSON.parse(json)]];
    });
    return new Map(found);
  }

  async searchKeyword(query: KeywordQuery): Promise<RankedList> {
    this.#checkOpen();
    return this.#toList(this.#scoreKeyword(query), query, query.explain === true);
  }

  async searchVector(query: VectorQuery): Promise<RankedList> {
    this.#checkOpen();
    if (this.embedder === null) return [];
    checkVector(query.vector, this.embedder, 'the query');
    const scored = this.#units().flatMap((held): Scored[] => {
      const cosine = held.vector === null ? null : obviousCosine(held.vector, query.vector);
      return cosine === null ? [] : [[held, leaf('cosine', cosine)]];
    });
    return this.#toList(scored, query, false);
  }

  async missingVectors(limit: number, entities?: readonly EntityId[]): Promise<readonly PendingUnit[]> {
    this.#checkOpen();
    return this.#waiting()
      .filter(({ unit }) => entities === undefined || entities.includes(unit.entity))
      .slice(0, limit)
      .map(({ unit }) => ({ unit: unit.id, text: unit.embedText, textHash: unit.textHash }));
  }

  async putVectors(vectors: readonly UnitVector[]): Promise<number> {
    this.#checkOpen();
    for (const { unit, vector } of vectors) checkVector(vector, this.embedder, unit);
    const stored = new Set<HeldUnit>();
    const units = this.#units();
    for (const { unit: id, textHash, vector } of vectors) {
      const held = units.find(({ unit }) => unit.id === id && unit.textHash === textHash);
      if (held === undefined) continue;
      held.vector = vector.slice();
      stored.add(held);
    }
    return stored.size;
  }

  async stats(): Promise<EngineStats> {
    this.#checkOpen();
    const byType: Partial<Record<EntityType, number>> = {};
    for (const id of this.#entities.keys()) {
      const { type } = this.#read(id)!.entity;
      byType[type] = (byType[type] ?? 0) + 1;
    }
    const units = this.#units();
    return {
      entities: this.#entities.size,
      units: units.length,
      vectors: units.filter(({ vector }) => vector !== null).length,
      missingVectors: this.#waiting().length,
      byType,
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#entities.clear();
    this.#annotations.clear();
  }

  #scoreKeyword({ text, scorer, fieldWeights }: KeywordQuery): readonly Scored[] {
    const units = this.#units();
    if (scorer === 'bm25f') {
      const details = obviousBm25f(
        text,
        units.map(({ analysed }) => analysed),
        fieldWeights,
      );
      return units.map((held, i): Scored => [held, details[i]!]).filter(([, detail]) => detail.value > 0);
    }
    if (scorer === 'constant') return units.map((held) => [held, leaf('constant', 1)]);
    const cards = units.filter(({ unit }) => unit.kind === 'card');
    const tokens = boostTokens(text);
    return cards
      .map((held): Scored => [held, leaf('boost', textBoost(tokens, this.#boosted(held.unit)))])
      .filter(([, detail]) => detail.value > 0);
  }

  #boosted({ entity, fields }: IndexedUnit): Parameters<typeof textBoost>[1] {
    const tools = (this.#entities.get(entity)?.units ?? []).filter(({ unit }) => unit.kind === 'tool');
    return {
      path: fields.path ?? '',
      name: fields.name ?? '',
      description: fields.description ?? '',
      tags: (fields.tags ?? '').split('\n'),
      metadataText: fields.metadata ?? '',
      tools: tools.map(({ unit }) => ({ name: unit.fields.name ?? '', description: unit.fields.description ?? '' })),
    };
  }

  #toList(scored: readonly Scored[], query: { filter: Filter; limit: number }, explain: boolean): RankedList {
    const hits = scored.flatMap(([{ unit }, detail]): UnitHit[] => {
      const { entity } = this.#read(unit.entity)!;
      if (!matchesFilter(query.filter, factsOf(entity, unit))) return [];
      const { id, kind, title } = unit;
      const hit = { unit: id, entity: unit.entity, type: entity.type, kind, title, score: detail.value };
      return [explain ? { ...hit, detail } : hit];
    });
    return hits.sort(compareHits).slice(0, query.limit);
  }

  #units(): readonly HeldUnit[] {
    return [...this.#entities.values()].flatMap(({ units }) => units);
  }

  #waiting(): readonly HeldUnit[] {
    if (this.embedder === null) return [];
    return this.#units().filter(({ unit, vector }) => unit.textHash !== '' && vector === null);
  }

  /** A fresh copy each time: nobody can change what is held. */
  #read(id: EntityId): StoredEntity | undefined {
    const held = this.#entities.get(id);
    if (held === undefined) return undefined;
    const { json, createdAt, updatedAt } = held;
    return { id, entity: JSON.parse(json), createdAt, updatedAt };
  }

  #checkOpen(): void {
    if (!this.#isClosed) return;
    throw new DowserError('ENGINE_UNAVAILABLE', 'The engine is closed.', { hint: 'Open it again to go on.' });
  }
}
