import type { EntityId } from '../../model/entity.ts';
import { collectionKey } from '../../model/entity-parts/document-facts.ts';
import { facetsMeeting } from '../../model/entity-parts/facets.ts';
import type { UnitId, UnitKind } from '../../model/entity-parts/unit.ts';
import type { MemoryFacts } from '../../model/entity-types/memory-facts.ts';
import { type EntityFacts, type Filter, foldTag, hasEnded, hasStarted, isCertain } from '../../model/query/filter.ts';
import { Bitset } from './bitset.ts';

/** A group with more rows is stored as a bitset. A small group as a bitset would waste a bit for every row of the index. */
const DENSE_ABOVE = 1024;

/** The rows with one value, such as a tag: first a set of numbers, then a bitset when there are many. */
class RowGroup {
  readonly #denseAbove: number;
  #sparse: Set<number> | null = new Set();
  #dense = new Bitset();
  #size = 0;

  constructor(denseAbove: number = DENSE_ABOVE) {
    this.#denseAbove = denseAbove;
  }

  get size(): number {
    return this.#size;
  }

  has(row: number): boolean {
    return this.#sparse?.has(row) ?? this.#dense.has(row);
  }

  add(row: number): void {
    if (this.#sparse === null) {
      if (this.#dense.has(row)) return;
      this.#size++;
      this.#dense.add(row);
      return;
    }
    this.#sparse.add(row);
    this.#size = this.#sparse.size;
    if (this.#size <= this.#denseAbove) return;
    this.#dense = Bitset.of(this.#sparse);
    this.#sparse = null;
  }

  /** A bitset stays a bitset even with few rows: the group will probably grow again. */
  delete(row: number): void {
    if (!this.has(row)) return;
    this.#size--;
    if (this.#sparse !== null) this.#sparse.delete(row);
    else this.#dense.delete(row);
  }

  addTo(rows: Bitset): void {
    if (this.#sparse === null) rows.union(this.#dense);
    else for (const row of this.#sparse) rows.add(row);
  }
}

/** Finds the rows of an entity and of a unit. The caller has these maps anyway. */
export interface RowLookup {
  rowsOfEntity(id: EntityId): readonly number[];
  rowOfUnit(id: UnitId): number | undefined;
}

interface FilteredRow {
  readonly row: number;
  readonly kind: UnitKind;
}

/** Cached bitsets. A server sees few different filters between two writes. */
const MAX_CACHED = 64;

type TimeClause = 'since' | 'until' | 'startedBy' | 'endsAfter' | 'certain';
type ValueFilter = Omit<Filter, 'entities' | 'without' | 'withoutUnits' | TimeClause>;
type Groups = Map<string | boolean, RowGroup>;

/**
 * Turns a filter into a bitset of the matching rows. Gives the same rows as `matchesFilter`.
 * Bitsets are cached until the next write, so a repeated filter costs one map lookup.
 */
export class RowFilter {
  readonly #lookup: RowLookup;
  readonly #denseAbove: number | undefined;
  readonly #type: Groups = new Map();
  readonly #status: Groups = new Map();
  readonly #enabled: Groups = new Map();
  readonly #kind: Groups = new Map();
  readonly #tag: Groups = new Map();
  readonly #facet = new Map<string, RowGroup>();
  readonly #reader: Groups = new Map();
  readonly #label: Groups = new Map();
  /** The rows of memories, those of memories that are true for a time only, and of those whose certainty fades. */
  readonly #memories = new Map<number, MemoryFacts>();
  readonly #bounded = new Map<number, MemoryFacts>();
  readonly #fading = new Map<number, MemoryFacts>();
  readonly #allRows = new Bitset();
  readonly #cache = new Map<string, Bitset>();
  /** The last frozen filter: one search uses the same filter object several times. */
  #last: { readonly filter: Filter; readonly rows: Bitset } | null = null;

  /** `denseAbove`: see `RowGroup`. */
  #lastWithout: { readonly rows: Bitset; readonly excluded: readonly number[]; readonly passing: Bitset } | null = null;

  constructor(lookup: RowLookup, denseAbove?: number) {
    this.#lookup = lookup;
    this.#denseAbove = denseAbove;
  }

  add(facts: EntityFacts, units: readonly FilteredRow[]): void {
    this.#clearCaches();
    for (const { row, kind } of units) {
      this.#allRows.add(row);
      this.#groupOf(this.#kind, kind).add(row);
    }
    this.#eachValue(facts, (groups, value) => {
      const group = this.#groupOf(groups, value);
      for (const { row } of units) group.add(row);
    });
    const { memory } = facts;
    if (memory === null) return;
    const isBounded = memory.validFrom !== null || memory.validTo !== null;
    for (const { row } of units) {
      this.#memories.set(row, memory);
      if (isBounded) this.#bounded.set(row, memory);
      if (memory.certainty !== null) this.#fading.set(row, memory);
    }
  }

  /** Pass the same facts and units as to `add`. */
  remove(facts: EntityFacts, units: readonly FilteredRow[]): void {
    this.#clearCaches();
    for (const { row, kind } of units) {
      this.#allRows.delete(row);
      this.#memories.delete(row);
      this.#bounded.delete(row);
      this.#fading.delete(row);
      removeRow(this.#kind, kind, row);
    }
    this.#eachValue(facts, (groups, value) => {
      for (const { row } of units) removeRow(groups, value, row);
    });
  }

  /** The matching rows. The bitset is shared with the cache: do not change it, and read it before the next write. */
  rows(filter: Filter): Bitset {
    if (this.#last?.filter === filter) return this.#last.rows;
    const rows = this.#passing(filter);
    if (isFrozen(filter)) this.#last = { filter, rows };
    return rows;
  }

  hasTag(tag: string): boolean {
    return this.#tag.has(foldTag(tag));
  }

  /**
   * The readers that some rows name, each once, in order. The others add no row, so callers who may read the same share what is
   * cached, though each is a reader of its own.
   */
  presentReaders(readers: readonly string[]): readonly string[] {
    const present = new Set<string>();
    for (const reader of readers) if (this.#reader.has(reader)) present.add(reader);
    return [...present].sort();
  }

  #passing(filter: Filter): Bitset {
    const { entities, without, withoutUnits, since, until, startedBy, endsAfter, certain, ...values } = filter;
    const passing = this.#timeRows(this.#valueRows(values), { since, until, startedBy, endsAfter, certain });
    if (entities === undefined && without === undefined && withoutUnits === undefined) return passing;
    const rows = entities === undefined ? passing.clone() : new Bitset();
    for (const id of entities ?? []) {
      for (const row of this.#lookup.rowsOfEntity(id)) if (passing.has(row)) rows.add(row);
    }
    for (const id of without ?? []) {
      for (const row of this.#lookup.rowsOfEntity(id)) rows.delete(row);
    }
    for (const unit of withoutUnits ?? []) {
      const row = this.#lookup.rowOfUnit(unit);
      if (row !== undefined) rows.delete(row);
    }
    return rows;
  }

  #clearCaches(): void {
    if (this.#cache.size > 0) this.#cache.clear();
    this.#last = null;
    this.#lastWithout = null;
  }

  /** Not cached: the moment of a search is another each time. Few memories are true for a time only. */
  #timeRows(rows: Bitset, clauses: { readonly [C in TimeClause]: Filter[C] | undefined }): Bitset {
    const { since, until, startedBy, endsAfter, certain } = clauses;
    const isTimed = since !== undefined || until !== undefined || startedBy !== undefined || endsAfter !== undefined;
    if (!isTimed && certain === undefined) return rows;
    let passing = rows;
    if (since !== undefined || until !== undefined) {
      passing = new Bitset();
      for (const row of rows) {
        const at = this.#memories.get(row)?.at ?? null;
        if (at !== null && at >= (since ?? at) && (until === undefined || at < until)) passing.add(row);
      }
    }
    const excluded: number[] = [];
    for (const [row, memory] of this.#bounded) {
      const isEarly = startedBy !== undefined && !hasStarted(memory, startedBy);
      const isOut = isEarly || (endsAfter !== undefined && hasEnded(memory, endsAfter));
      if (isOut && passing.has(row)) excluded.push(row);
    }
    if (certain !== undefined) {
      for (const [row, memory] of this.#fading) {
        if (!isCertain(memory, certain) && passing.has(row)) excluded.push(row);
      }
    }
    return excluded.length === 0 ? passing : this.#without(passing, excluded);
  }

  /** The same bitset while the same rows are excluded, so that results cached by bitset stay valid. */
  #without(rows: Bitset, excluded: readonly number[]): Bitset {
    const last = this.#lastWithout;
    const isSame = last?.rows === rows && last.excluded.length === excluded.length;
    if (isSame && last.excluded.every((row, at) => row === excluded[at])) return last.passing;
    const passing = rows.clone();
    for (const row of excluded) passing.delete(row);
    this.#lastWithout = { rows, excluded, passing };
    return passing;
  }

  #valueRows(filter: ValueFilter): Bitset {
    const { types, statuses, enabled, tags, facets, unitKinds, tagsAny, collections, labels } = filter;
    const readers = filter.readers === undefined ? undefined : this.presentReaders(filter.readers);
    const ofEntity = [types, statuses, enabled, tags, facets, readers, tagsAny, collections, labels];
    const key = JSON.stringify([unitKinds, ...ofEntity]);
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;

    const rows = this.#allRows.clone();
    if (types !== undefined) {
      const typed = unionOf(this.#type, types);
      if (types.includes('server_tool')) this.#kind.get('tool')?.addTo(typed);
      rows.intersect(typed);
    }
    if (statuses !== undefined) rows.intersect(unionOf(this.#status, statuses));
    if (enabled !== undefined) rows.intersect(unionOf(this.#enabled, [enabled]));
    for (const tag of tags ?? []) rows.intersect(unionOf(this.#tag, [foldTag(tag)]));
    for (const facet of facets ?? []) rows.intersect(unionOf(this.#facet, facetsMeeting(facet, this.#facet.keys())));
    if (readers !== undefined) rows.intersect(unionOf(this.#reader, readers));
    if (unitKinds !== undefined) rows.intersect(unionOf(this.#kind, unitKinds));
    if (tagsAny !== undefined) rows.intersect(unionOf(this.#tag, tagsAny.map(foldTag)));
    if (collections !== undefined) rows.intersect(unionOf(this.#facet, collections.map(collectionKey)));
    for (const anyOf of labels ?? []) rows.intersect(unionOf(this.#label, anyOf));

    const oldest = this.#cache.size < MAX_CACHED ? undefined : this.#cache.keys().next().value;
    if (oldest !== undefined) this.#cache.delete(oldest);
    this.#cache.set(key, rows);
    return rows;
  }

  #eachValue(facts: EntityFacts, visit: (groups: Groups, value: string | boolean) => void): void {
    visit(this.#type, facts.type);
    visit(this.#status, facts.status);
    visit(this.#enabled, facts.enabled);
    for (const tag of facts.tags) visit(this.#tag, tag);
    for (const facet of facts.facets) visit(this.#facet, facet);
    for (const reader of facts.readers) visit(this.#reader, reader);
    for (const label of facts.memory?.labels ?? []) visit(this.#label, label);
  }

  #groupOf(groups: Groups, value: string | boolean): RowGroup {
    let group = groups.get(value);
    if (group === undefined) {
      group = new RowGroup(this.#denseAbove);
      groups.set(value, group);
    }
    return group;
  }
}

/** Whether the filter and its lists are frozen, so that its bitset can be cached by identity. */
function isFrozen(filter: Filter): boolean {
  if (!Object.isFrozen(filter)) return false;
  for (const key in filter) {
    const value = filter[key as keyof Filter];
    if (typeof value === 'object' && !Object.isFrozen(value)) return false;
  }
  return true;
}

function removeRow(groups: Groups, value: string | boolean, row: number): void {
  const group = groups.get(value);
  if (group === undefined) return;
  group.delete(row);
  if (group.size === 0) groups.delete(value);
}

function unionOf(groups: Groups, values: readonly (string | boolean)[]): Bitset {
  const rows = new Bitset();
  for (const value of values) groups.get(value)?.addTo(rows);
  return rows;
}
