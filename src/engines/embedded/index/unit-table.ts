import type { EntityId, EntityType } from '../../../model/entity.ts';
import { UNIT_KINDS, type UnitId, type UnitKind } from '../../../model/entity-parts/unit.ts';
import type { EntityFacts } from '../../../model/query/filter.ts';
import type { Bitset } from '../../../search/filter/bitset.ts';
import type { RowLookup } from '../../../search/filter/row-filter.ts';
import { compareIds } from '../../../search/retrieval/compare-ids.ts';
import { grown } from '../../../search/rows/grown.ts';
import { LayeredMap, LayeredSet } from '../../../search/rows/layered-map.ts';
import type { Actions } from '../../../search/text/action-words.ts';
import { joinedName } from '../../../search/text/name-spelling.ts';

/** An entity without its document. */
export interface EntityRow {
  /** Its key in the database. */
  readonly no: number;
  readonly facts: EntityFacts;
  readonly units: readonly UnitRow[];
}

export interface UnitRow {
  /** Its number in every index, and its key in the database. Reused after removal. */
  readonly row: number;
  readonly id: UnitId;
  /** A copy of the entity's id and type, so that reading many rows needs no lookup. */
  readonly entity: EntityId;
  readonly type: EntityType;
  readonly kind: UnitKind;
  readonly title: string;
  readonly textHash: string;
  /** See `FoundUnit`. Null until a search reads it. */
  actions: Actions | null;
}

/** Their names are titles: nobody asks for one by another spelling. */
const UNNAMED: ReadonlySet<EntityType> = new Set(['memory', 'document']);

/** Maps rows to units and their entities. */
export class UnitTable implements RowLookup {
  readonly #entities = new LayeredMap<EntityId, EntityRow>();
  readonly #units: (UnitRow | undefined)[] = [];
  readonly #owners: (EntityRow | undefined)[] = [];
  /** By joined name, the rows of the cards that have it. */
  readonly #named = new LayeredMap<string, Set<number>>();
  /** By row: one more than the row of its entity's card, 0 without one. Smaller than the units, so it is cached longer. */
  #cards = new Uint32Array(0);
  /** By row: the position of its kind in UNIT_KINDS. */
  #kinds = new Uint8Array(0);
  readonly #countByType = new Map<EntityType, number>();
  /** Unused rows below the highest one. */
  readonly #free = new Set<number>();
  #unsorted = new LayeredSet<EntityId>();
  #sorted: readonly EntityId[] = [];
  #lastNo = 0;
  #unitCount = 0;

  get unitCount(): number {
    return this.#unitCount;
  }

  get entityCount(): number {
    return this.#entities.size;
  }

  get countByType(): ReadonlyMap<EntityType, number> {
    return this.#countByType;
  }

  /** Types that some entity has. */
  types(): readonly EntityType[] {
    const types: EntityType[] = [];
    for (const [type, count] of this.#countByType) if (count > 0) types.push(type);
    return types;
  }

  entity(id: EntityId): EntityRow | undefined {
    return this.#entities.get(id);
  }

  /** In the order of their first rows. */
  *entities(): Generator<EntityRow> {
    for (let row = 0; row < this.#owners.length; row++) {
      const owner = this.#owners[row];
      if (owner !== undefined && owner.units[0]!.row === row) yield owner;
    }
  }

  unitAt(row: number): UnitRow | undefined {
    return this.#units[row];
  }

  ownerOf(row: number): EntityRow | undefined {
    return this.#owners[row];
  }

  /** The row of the card of the entity that this row belongs to; -1 where there is none. */
  cardOf(row: number): number {
    return (this.#cards[row] ?? 0) - 1;
  }

  /** The kind of the unit in this row. */
  kindOf(row: number): UnitKind {
    return UNIT_KINDS[this.#kinds[row]!]!;
  }

  /** A row that tells the entity of this row: that of its card, or else its first. */
  groupOf(row: number): number {
    const card = this.cardOf(row);
    return card >= 0 ? card : this.#owners[row]!.units[0]!.row;
  }

  /** The first name by id that is this one when it is joined, of the entities with a row in `rows`; null: of all. */
  nameOf(joined: string, rows: Bitset | null): string | undefined {
    let first = -1;
    for (const row of this.#named.get(joined) ?? []) {
      if (rows !== null && !rows.has(row)) continue;
      if (first < 0 || this.compareRows(row, first) < 0) first = row;
    }
    return this.#units[first]?.title;
  }

  /** Finds the unit by its entity. Filling a map of all units at each start would cost more than it saves. */
  unit(id: UnitId): UnitRow | undefined {
    for (let end = id.lastIndexOf('#'); end >= 0; end = id.lastIndexOf('#', end - 1)) {
      const unit = this.#entities.get(id.slice(0, end) as EntityId)?.units.find((other) => other.id === id);
      if (unit !== undefined || end === 0) return unit;
    }
    return undefined;
  }

  rowOfUnit(id: UnitId): number | undefined {
    return this.unit(id)?.row;
  }

  rowsOfEntity(id: EntityId): readonly number[] {
    return this.#entities.get(id)?.units.map((unit) => unit.row) ?? [];
  }

  /** A key for a new entity. All higher keys are free too. */
  get nextNo(): number {
    return this.#lastNo + 1;
  }

  /** Orders rows by unit id. */
  readonly compareRows = (a: number, b: number): number =>
    compareIds(this.#units[a]?.id ?? '', this.#units[b]?.id ?? '');

  /** All entity ids, sorted. The first call after a write reads all of them. */
  sortedIds(): readonly EntityId[] {
    if (this.#sorted.length === 0) this.#sorted = [...this.#entities.keys()].sort(compareIds);
    else if (this.#unsorted.size > 0 || this.#sorted.length !== this.#entities.size) {
      const kept = this.#sorted.filter((id) => this.#entities.has(id) && !this.#unsorted.has(id));
      this.#sorted = [...kept, ...this.#unsorted].sort(compareIds);
      this.#unsorted = new LayeredSet();
    }
    return this.#sorted;
  }

  /** Numbers for `count` new units. They stay free until `set` uses them. */
  freeRows(count: number): readonly number[] {
    const rows: number[] = [];
    for (const row of this.#free) {
      if (rows.length === count) break;
      rows.push(row);
    }
    for (let row = this.#units.length; rows.length < count; row++) rows.push(row);
    return rows;
  }

  /** Adds or replaces. Rows that only the old version had become free. */
  set(entity: EntityRow): void {
    const { id, type } = entity.facts;
    this.delete(id);
    this.#entities.set(id, entity);
    if (this.#sorted.length > 0) this.#unsorted.add(id);
    this.#countByType.set(type, (this.#countByType.get(type) ?? 0) + 1);
    this.#lastNo = Math.max(this.#lastNo, entity.no);
    this.#unitCount += entity.units.length;
    const card = entity.units.find(({ kind }) => kind === 'card')?.row ?? -1;
    for (const unit of entity.units) {
      for (let gap = this.#units.length; gap < unit.row; gap++) {
        this.#units.push(undefined);
        this.#owners.push(undefined);
        this.#free.add(gap);
      }
      this.#free.delete(unit.row);
      this.#units[unit.row] = unit;
      this.#owners[unit.row] = entity;
      this.#setColumns(unit, card);
    }
    const joined = joinedNameOf(entity);
    if (joined === '') return;
    const named = this.#named.get(joined);
    if (named === undefined) this.#named.set(joined, new Set([card]));
    else named.add(card);
  }

  delete(id: EntityId): void {
    const entity = this.#entities.get(id);
    if (entity === undefined) return;
    this.#unname(entity);
    this.#entities.delete(id);
    this.#unsorted.delete(id);
    this.#unitCount -= entity.units.length;
    this.#countByType.set(entity.facts.type, (this.#countByType.get(entity.facts.type) ?? 0) - 1);
    for (const unit of entity.units) {
      this.#units[unit.row] = undefined;
      this.#owners[unit.row] = undefined;
      this.#cards[unit.row] = 0;
      this.#free.add(unit.row);
    }
  }

  #unname(entity: EntityRow): void {
    const joined = joinedNameOf(entity);
    const named = this.#named.get(joined);
    if (named === undefined) return;
    for (const { row } of entity.units) named.delete(row);
    if (named.size === 0) this.#named.delete(joined);
  }

  #setColumns({ row, kind }: UnitRow, card: number): void {
    if (row >= this.#cards.length) {
      this.#cards = grown(this.#cards, row + 1);
      this.#kinds = grown(this.#kinds, row + 1);
    }
    this.#cards[row] = card + 1;
    this.#kinds[row] = UNIT_KINDS.indexOf(kind);
  }
}

/** '' for an entity that is not found by its joined name. */
function joinedNameOf({ facts, units }: EntityRow): string {
  const card = UNNAMED.has(facts.type) ? undefined : units.find(({ kind }) => kind === 'card');
  return card === undefined ? '' : joinedName(card.title);
}
