import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import { type EntityId, idOf } from '../../model/entity.ts';
import type { Edge } from '../../model/entity-parts/edge.ts';
import type { UnitId } from '../../model/entity-parts/unit.ts';
import type { Sliced } from '../in-slices.ts';
import type { EdgeState, EmbedderStates, EntityState, OwnedVector, VectorState } from '../shared-record.ts';
import type { Annotation, IndexedEntity, IndexedUnit } from '../store.ts';
import type { AnalyzedAhead } from './analyze-ahead.ts';
import { toIdentity } from './choose-embedder.ts';
import type { EmbeddedStore } from './embedded-store.ts';
import type { EmbeddedVectors } from './embedded-vectors.ts';
import type { EngineState } from './engine-state.ts';
import type { UnitRow } from './index/unit-table.ts';
import type { EdgeRecord } from './record/edge-record.ts';

/** Everything that a store has of some entities. */
interface StoredStates {
  readonly entities: readonly EntityState[];
  readonly annotations: readonly Annotation[];
  /** Of every embedder. */
  readonly vectors: readonly VectorState[];
}

/** Where a copy stands in the record it follows. */
export interface CopyPosition {
  /** The id of the record. */
  readonly record: string;
  /** The last write that the copy has. */
  readonly seq: number;
  /** The last write at which it had everything; -1: none. */
  readonly complete: number;
  readonly epoch: string;
  /** The tip of the last write of the record that was seen; null: none. */
  readonly tip: string | null;
  /** What the record had forgotten when the copy began. */
  readonly purged: number;
  /** The copy has entities that the record may not have: it began again. */
  readonly isRebuilding: boolean;
}

/** Of a copy that was made before writes had tips: no record has this one. */
const OLD_POSITION = { epoch: '', tip: '0:', purged: 0, isRebuilding: false };

/** An entity to put. Vectors are given apart. */
export interface CopiedEntity {
  readonly indexed: IndexedEntity;
  /** All it has in the record; null: as the copy has it, for what was just written here. */
  readonly whole: {
    readonly annotations: Readonly<Record<string, unknown>>;
    readonly vectors: readonly OwnedVector[];
  } | null;
}

export interface CopyChanges {
  readonly entities?: readonly CopiedEntity[];
  readonly deleted?: readonly EntityId[];
  /** Those of entities that the copy does not have are left out. */
  readonly annotations?: readonly Annotation[];
  /** Those of units that the copy does not have, or has with another text, are left out. */
  readonly vectors?: readonly VectorState[];
  readonly edges?: readonly EdgeState[];
}

/** Applies to an embedded engine what a shared record has accepted. Applying something twice changes nothing. */
export class LocalCopy {
  readonly #state: EngineState;
  readonly #store: EmbeddedStore;
  readonly #vectors: EmbeddedVectors;
  readonly #edges: EdgeRecord;

  constructor(state: EngineState, store: EmbeddedStore, vectors: EmbeddedVectors, edges: EdgeRecord) {
    this.#state = state;
    this.#store = store;
    this.#vectors = vectors;
    this.#edges = edges;
  }

  /** Null for a folder that never followed a record. */
  get position(): CopyPosition | null {
    const stored = this.#state.record.copyPosition;
    return stored === null ? null : { ...OLD_POSITION, ...(JSON.parse(stored) as CopyPosition) };
  }

  get isEmpty(): boolean {
    return this.#state.index.table.entityCount === 0;
  }

  ids(): readonly EntityId[] {
    return this.#state.index.table.sortedIds();
  }

  has(id: EntityId): boolean {
    return this.#state.index.table.entity(id) !== undefined;
  }

  createdAt(id: EntityId): string | undefined {
    const known = this.#state.index.table.entity(id);
    return known === undefined ? undefined : this.#state.record.readEntities([known.no])[0]?.[1];
  }

  hasUnit(unit: UnitId, textHash: string): boolean {
    return this.#state.index.table.unit(unit)?.textHash === textHash;
  }

  /** The embedder whose vectors are served, also where none is configured. */
  get served(): EmbedderIdentity | null {
    const { served } = this.#state.record;
    return served === null ? null : toIdentity(served);
  }

  states(ids: readonly EntityId[]): StoredStates {
    return readStates(this.#state, ids);
  }

  edges(): readonly Edge[] {
    return this.#edges.all();
  }

  /** From now on the folder is a store of its own. */
  release(): Promise<void> {
    return this.#state.writeAtOnce(() => this.#state.record.write(() => this.#state.record.dropCopyPosition()));
  }

  /** The position is stored last: a copy that is interrupted reads the same changes again. */
  async apply(changes: CopyChanges, position: CopyPosition | null): Promise<void> {
    const batch = (changes.entities ?? []).map((entity) => this.#toPut(entity));
    const analyzed = await this.#store.analyze(batch);
    await this.#state.write(() => this.#applyInSlices(changes, batch, analyzed, position));
  }

  /** Readers see all entities and annotations at once. The vectors of a large batch follow some slices later. */
  *#applyInSlices(
    { entities = [], deleted = [], annotations = [], vectors = [], edges = [] }: CopyChanges,
    batch: readonly IndexedEntity[],
    analyzed: AnalyzedAhead,
    position: CopyPosition | null,
  ): Sliced<void> {
    const put = new Set(batch.map(({ entity }) => idOf(entity)));
    const before = new Set([...put].filter((id) => this.has(id)));
    const gone = new Set(deleted.filter((id) => !put.has(id)));
    const known = annotations.filter(({ id }) => this.has(id) && !put.has(id) && !gone.has(id));
    const ofBatch = new Map<EntityId, Record<string, unknown>>();
    for (const { id, key, value } of annotations) {
      if (put.has(id)) ofBatch.set(id, { ...ofBatch.get(id), [key]: value });
    }
    const annotated = batch.map((one) => {
      return { ...one, annotations: { ...one.annotations, ...ofBatch.get(idOf(one.entity)) } };
    });
    yield* this.#store.putInSlices(annotated, { gone: [...gone], annotations: known }, analyzed);
    const owned = entities.flatMap((entity) => this.#ownedVectors(entity, before));
    if (edges.length > 0) this.#copyEdges(edges);
    this.#vectors.copy([...owned, ...vectors], position === null ? null : JSON.stringify(position));
  }

  /** Serves and builds as the record says. An engine without an embedder only remembers it. */
  setEmbedders({ served, building }: EmbedderStates): Promise<boolean> {
    return this.#state.writeAtOnce(() => {
      const { embedder: before, building: buildingBefore } = this.#vectors;
      if (served !== null && before === null) this.#state.record.serve(served);
      if (before === null || (before.id === (served ?? before).id && buildingBefore?.id === building?.id)) return false;
      if (served !== null && served.id !== before.id) {
        this.#vectors.buildNow(served);
        this.#vectors.serveBuildingNow();
      }
      this.#vectors.buildNow(building ?? this.#vectors.embedder ?? before);
      return true;
    });
  }

  #copyEdges(edges: readonly EdgeState[]): void {
    this.#edges.put(edges.flatMap(({ edge, isDeleted }) => (isDeleted ? [] : [edge])));
    this.#edges.remove(edges.flatMap(({ edge, isDeleted }) => (isDeleted ? [edge] : [])));
  }

  /** With annotations that the record no longer has as null. */
  #toPut({ indexed, whole }: CopiedEntity): IndexedEntity {
    if (whole === null) return indexed;
    const old = this.#state.index.table.entity(idOf(indexed.entity));
    const notes = old === undefined ? {} : this.#state.record.annotations.of(old.no);
    const gone = Object.keys(notes).map((key) => [key, null]);
    return { ...indexed, annotations: { ...Object.fromEntries(gone), ...whole.annotations } };
  }

  /** Its vectors, and those that the copy has but the record no longer has: of entities that it had `before`. */
  #ownedVectors({ indexed, whole }: CopiedEntity, before: ReadonlySet<EntityId>): readonly VectorState[] {
    if (whole === null) return [];
    const given = whole.vectors.filter(({ vector }) => vector !== null);
    const entity = idOf(indexed.entity);
    if (!before.has(entity)) return given;
    const live = new Set(whole.vectors.map(({ unit, embedder }) => `${embedder} ${unit}`));
    const gone: VectorState[] = [];
    for (const { id, row, textHash } of this.#state.index.table.entity(entity)?.units ?? []) {
      for (const embedder of this.#state.record.embeddersOf(row)) {
        if (!live.has(`${embedder} ${id}`)) gone.push({ unit: id, entity, embedder, textHash, vector: null });
      }
    }
    return [...gone, ...given];
  }
}

/** Ids that do not exist are left out. */
function readStates({ record, index }: EngineState, ids: readonly EntityId[]): StoredStates {
  const entities: EntityState[] = [];
  const annotations: Annotation[] = [];
  const vectors: VectorState[] = [];
  for (const id of ids) {
    const known = index.table.entity(id);
    const [document] = known === undefined ? [] : record.readEntities([known.no]);
    if (known === undefined || document === undefined) continue;
    const [no, createdAt, updatedAt, json] = document;
    const unitOf = (row: UnitRow): IndexedUnit => ({
      id: row.id,
      entity: id,
      key: row.id.slice(id.length + 1),
      kind: row.kind,
      title: row.title,
      textHash: row.textHash,
      embedText: record.embedTextOf(row.row),
      fields: record.fieldsOf(row.row) ?? {},
    });
    entities.push({ id, json, units: known.units.map(unitOf), createdAt, updatedAt });
    for (const [key, value] of Object.entries(record.annotations.of(no))) annotations.push({ id, key, value });
    for (const { row, id: unit, textHash } of known.units) {
      for (const embedder of record.embeddersOf(row)) {
        const identity = toIdentity(embedder);
        const vector = identity === null ? undefined : record.vectorOf(row, identity);
        if (vector !== undefined) vectors.push({ unit, entity: id, embedder, textHash, vector });
      }
    }
  }
  return { entities, annotations, vectors };
}
