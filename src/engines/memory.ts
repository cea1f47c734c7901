import type { EmbedderIdentity } from '../model/embedder-identity.ts';
import type { EntityId, EntityType } from '../model/entity.ts';
import { idOf } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import { leaf } from '../model/explanation.ts';
import { type Filter, factsOf, foldTag, matchesFilter } from '../model/filter.ts';
import { type Field, type UnitId, unitId } from '../model/unit.ts';
import type { Anchor } from '../search/identifier/anchors.ts';
import { holdsPhrase } from '../search/identifier/holds-phrase.ts';
import type { Holders } from '../search/identifier/read-query.ts';
import type { Asked } from '../search/ranking/join.ts';
import { compareHits, compareIds, type RankedList, type UnitHit, type UnitRef } from '../search/ranking/ranked-list.ts';
import { analyzeUnit } from '../search/text/analyzed-unit.ts';
import { checkBatch, checkVector, noSuchEntity } from './check-batch.ts';
import type {
  Annotation,
  Engine,
  EngineCapabilities,
  EngineStats,
  IndexedEntity,
  Inspection,
  InspectQuery,
  KeywordQuery,
  Page,
  PendingUnit,
  ScanQuery,
  ShownEntity,
  StaleVector,
  StoredEntity,
  UnitVector,
  VectorQuery,
} from './engine.ts';
import { MemoryAnnotations } from './memory-annotations.ts';
import type { MemoryEntity, MemoryUnit } from './memory-unit.ts';
import { type KeywordScoring, referenceKeyword, type Scored } from './reference-keyword.ts';
import { fieldsIn, referenceCeiling, referenceCosine, referenceMean } from './reference-scorers.ts';

export interface MemoryOptions {
  readonly embedder: EmbedderIdentity | null;
  /** Stamps `createdAt` and `updatedAt`. Default: the clock. */
  readonly now?: () => Date;
}

/**
 * The reference: every promise of the port kept in the most obvious way, by looking at every unit. Nothing is kept when
 * it is closed. For tests and small, passing catalogs: every search reads every unit.
 */
export class MemoryEngine implements Engine {
  readonly name = 'memory';
  readonly capabilities: EngineCapabilities = {
    durable: false,
    exactVectors: true,
    substringBoost: true,
    explains: true,
  };
  #embedder: EmbedderIdentity | null;
  #building: EmbedderIdentity | null = null;
  readonly #now: () => Date;
  readonly #entities = new Map<EntityId, MemoryEntity>();
  readonly #notes = new MemoryAnnotations();
  #isClosed = false;

  constructor({ embedder, now = () => new Date() }: MemoryOptions) {
    this.#embedder = embedder;
    this.#now = now;
  }

  get embedder(): EmbedderIdentity | null {
    return this.#embedder;
  }

  get building(): EmbedderIdentity | null {
    return this.#building;
  }

  async put(batch: readonly IndexedEntity[]): Promise<void> {
    this.#checkOpen();
    checkBatch(batch, this.#embedder);
    if (batch.length === 0) return;
    const updatedAt = this.#now().toISOString();
    const held = batch.map(({ entity, units }): [EntityId, MemoryEntity] => {
      const id = idOf(entity);
      const old = this.#entities.get(id);
      const heldUnits = units.map((unit) => {
        const before = old?.units.find((other) => other.unit.id === unit.id);
        const vectors = new Map(before?.unit.textHash === unit.textHash ? before.vectors : []);
        if (unit.vector !== undefined) vectors.set(this.#embedder!.id, unit.vector.slice());
        return { unit, analyzed: analyzeUnit(unit.fields), vectors };
      });
      const createdAt = old?.createdAt ?? updatedAt;
      return [id, { json: JSON.stringify(entity), createdAt, updatedAt, units: heldUnits }];
    });
    const annotations = batch.flatMap(({ entity, annotations = {} }) =>
      Object.entries(annotations).map(([key, value]) => ({ id: idOf(entity), key, value })),
    );
    this.#notes.put(annotations);
    for (const [id, entity] of held) this.#entities.set(id, entity);
  }

  async delete(ids: readonly EntityId[]): Promise<number> {
    this.#checkOpen();
    for (const id of ids) this.#notes.delete(id);
    return ids.filter((id) => this.#entities.delete(id)).length;
  }

  async getMany(ids: readonly EntityId[]): Promise<readonly StoredEntity[]> {
    this.#checkOpen();
    return ids.flatMap((id) => this.#read(id) ?? []);
  }

  async getShown(ids: readonly EntityId[]): Promise<readonly ShownEntity[]> {
    const stored = await this.getMany(ids);
    return stored.map(({ id, entity }) => ({
      id,
      entity,
      inputSchema: (tool) => (entity.type === 'mcp_server' ? entity.tools[tool]?.inputSchema : undefined),
    }));
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
    const unknown = annotations.find(({ id }) => !this.#entities.has(id));
    if (unknown !== undefined) throw noSuchEntity(unknown.id);
    this.#notes.put(annotations);
  }

  async annotationsOf(ids: readonly EntityId[]): Promise<ReadonlyMap<EntityId, Readonly<Record<string, unknown>>>> {
    this.#checkOpen();
    return this.#notes.of(ids);
  }

  async annotated(key: string): Promise<ReadonlyMap<EntityId, unknown>> {
    this.#checkOpen();
    return this.#notes.withKey(key);
  }

  async searchKeyword(query: KeywordQuery): Promise<RankedList> {
    this.#checkOpen();
    return this.#toList(this.#scoreKeyword(query), query, query.explain === true);
  }

  async hasTags(tags: readonly string[]): Promise<readonly boolean[]> {
    this.#checkOpen();
    const known = new Set([...this.#entities.keys()].flatMap((id) => this.#read(id)!.entity.tags.map(foldTag)));
    return tags.map((tag) => known.has(foldTag(tag)));
  }

  async inspect({ text, anchors, filter, limit }: InspectQuery): Promise<Inspection> {
    this.#checkOpen();
    const units = this.#units();
    const unitsWith = (term: string) => units.filter(({ analyzed }) => analyzed.terms.includes(term)).length;
    const holders = anchors.map((anchor): Holders => {
      const scored = units.filter((held) => holds(held, anchor)).map((held): Scored => [held, leaf('holder', 1)]);
      const found = this.#toList(scored, { filter, limit: scored.length }, false);
      return { anchor, units: found.slice(0, limit), count: found.length };
    });
    return { ...referenceCeiling(text, units.length, unitsWith), holders };
  }

  async matchedFields(text: string, refs: readonly UnitRef[]): Promise<ReadonlyMap<UnitId, readonly Field[]>> {
    this.#checkOpen();
    const scored = this.#scoreKeyword({ text, scorer: 'bm25f' });
    const ids = new Set(refs.map(({ unit }) => unit));
    const found = scored.filter(([{ unit }]) => ids.has(unit.id));
    return new Map(found.map(([{ unit }, detail]) => [unit.id, fieldsIn(detail)]));
  }

  async keywordScores(
    text: string,
    scorer: KeywordQuery['scorer'],
    asked: readonly Asked[],
  ): Promise<readonly number[]> {
    this.#checkOpen();
    const scored = this.#scoreKeyword({ text, scorer });
    const scores = new Map(scored.map(([{ unit }, { value }]) => [unit.id, value]));
    return asked.map((one) => scores.get(askedUnit(one)) ?? 0);
  }

  async vectorScores(
    vector: Float32Array,
    asked: readonly Asked[],
    embedder = this.#embedder?.id ?? '',
  ): Promise<readonly (number | null)[]> {
    this.#checkOpen();
    const units = new Map(this.#units().map((held) => [held.unit.id, held]));
    return asked.map((one) => {
      const held = units.get(askedUnit(one))?.vectors.get(embedder);
      return held === undefined ? null : referenceCosine(held, vector);
    });
  }

  async searchVector(query: VectorQuery): Promise<RankedList> {
    this.#checkOpen();
    const embedder = query.embedder ?? this.#embedder?.id;
    if (embedder === undefined) return [];
    const identity = this.#identity(embedder);
    if (identity !== null) checkVector(query.vector, identity, 'the query');
    const scored = this.#units().flatMap((held): Scored[] => {
      const vector = held.vectors.get(embedder);
      const cosine = vector === undefined ? null : referenceCosine(vector, query.vector);
      return cosine === null ? [] : [[held, leaf('cosine', cosine)]];
    });
    return this.#toList(scored, query, false);
  }

  async missingVectors(
    limit: number,
    entities?: readonly EntityId[],
    embedder = this.#embedder?.id,
  ): Promise<readonly PendingUnit[]> {
    this.#checkOpen();
    return this.#waiting(embedder)
      .filter(({ unit }) => entities === undefined || entities.includes(unit.entity))
      .slice(0, limit)
      .map(({ unit }) => ({ unit: unit.id, text: unit.embedText, textHash: unit.textHash }));
  }

  async putVectors(vectors: readonly UnitVector[], embedder = this.#embedder?.id): Promise<number> {
    this.#checkOpen();
    const identity = this.#identity(embedder);
    if (identity === null && this.#embedder !== null) return 0;
    for (const { unit, vector } of vectors) checkVector(vector, identity, unit);
    const stored = new Set<MemoryUnit>();
    const units = this.#units();
    for (const { unit: id, textHash, vector } of vectors) {
      const held = units.find(({ unit }) => unit.id === id && unit.textHash === textHash);
      if (held === undefined) continue;
      held.vectors.set(identity!.id, vector.slice());
      stored.add(held);
    }
    return stored.size;
  }

  async build(embedder: EmbedderIdentity): Promise<void> {
    this.#checkOpen();
    this.#building = embedder.id === this.#embedder?.id ? null : embedder;
  }

  async serveBuilding(): Promise<void> {
    this.#checkOpen();
    this.#embedder = this.#building ?? this.#embedder;
    this.#building = null;
  }

  async staleVectors(limit: number, entities?: readonly EntityId[]): Promise<readonly StaleVector[]> {
    this.#checkOpen();
    return this.#stale(entities).slice(0, limit);
  }

  async dropStaleVectors(limit: number, entities?: readonly EntityId[]): Promise<number> {
    this.#checkOpen();
    const stale = this.#stale(entities).slice(0, limit);
    for (const { unit, embedder } of stale) {
      this.#units()
        .find((held) => held.unit.id === unit)
        ?.vectors.delete(embedder);
    }
    return stale.length;
  }

  async stats(embedder = this.#embedder?.id ?? ''): Promise<EngineStats> {
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
      vectors: this.#countVectors(embedder),
      missingVectors: this.#waiting(embedder).length,
      staleVectors: this.#stale().length,
      building:
        this.#building === null
          ? null
          : {
              id: this.#building.id,
              vectors: this.#countVectors(this.#building.id),
              missingVectors: this.#waiting(this.#building.id).length,
            },
      byType,
      meanVector: referenceMean(units.flatMap(({ vectors }) => vectors.get(embedder) ?? [])),
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#entities.clear();
    this.#notes.clear();
  }

  #scoreKeyword(query: KeywordScoring): readonly Scored[] {
    return referenceKeyword(query, [...this.#entities.values()]);
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

  #units(): readonly MemoryUnit[] {
    return [...this.#entities.values()].flatMap(({ units }) => units);
  }

  #identity(embedder: string | undefined): EmbedderIdentity | null {
    return [this.#embedder, this.#building].find((identity) => identity?.id === embedder) ?? null;
  }

  #countVectors(embedder: string): number {
    return this.#units().filter(({ vectors }) => vectors.has(embedder)).length;
  }

  #waiting(embedder: string | undefined): readonly MemoryUnit[] {
    const identity = this.#identity(embedder);
    if (identity === null) return [];
    return this.#units().filter(({ unit, vectors }) => unit.textHash !== '' && !vectors.has(identity.id));
  }

  #stale(entities?: readonly EntityId[]): readonly StaleVector[] {
    return this.#units()
      .filter(({ unit }) => entities === undefined || entities.includes(unit.entity))
      .sort((a, b) => compareIds(a.unit.id, b.unit.id))
      .flatMap(({ unit, vectors }) => [...vectors.keys()].map((embedder) => ({ unit: unit.id, embedder })))
      .filter(({ embedder }) => this.#identity(embedder) === null);
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

/** All its terms, and for a phrase the words themselves. */
function holds({ unit, analyzed }: MemoryUnit, { kind, terms, text }: Anchor): boolean {
  const hasTerms = terms.every((term) => analyzed.terms.includes(term));
  return hasTerms && (kind !== 'phrase' || holdsPhrase(unit.fields, text));
}

function askedUnit({ hit, card }: Asked): UnitId {
  return card ? unitId(hit.entity, 'card') : hit.unit;
}
