import type { EntityId } from '../../model/entity.ts';
import { type EntityFacts, type Filter, foldTag } from '../../model/filter.ts';
import type { UnitKind } from '../../model/unit.ts';
import { Bitset } from './bitset.ts';
import { RowGroup } from './row-group.ts';

/** How rows are found by name; the owner of the rows has these maps anyway. */
export interface RowLookup {
  rowsOfEntity(id: EntityId): readonly number[];
}

export interface FilteredRow {
  readonly row: number;
  readonly kind: UnitKind;
}

export interface RowFilterOptions {
  /** Groups above this many rows are kept as bits. */
  readonly denseAbove?: number;
}

/** A server sees few distinct filters between two writes; more are not worth their memory. */
const MAX_CACHED = 64;

type BroadFilter = Omit<Filter, 'entities'>;
type Groups = Map<string | boolean, RowGroup>;

/**
 * Turns a filter into the set of rows that pass it, from the rows of each single value. Agrees with `matchesFilter`.
 * Sets are cached until the next write, so a repeated filter costs one map lookup.
 */
export class RowFilter {
  readonly #lookup: RowLookup;
  readonly #denseAbove: number | undefined;
  readonly #type: Groups = new Map();
  readonly #status: Groups = new Map();
  readonly #enabled: Groups = new Map();
  readonly #kind: Groups = new Map();
  readonly #tag: Groups = new Map();
  readonly #reader: Groups = new Map();
  readonly #rows = new Bitset();
  readonly #cache = new Map<string, Bitset>();
  /** One search asks with the same filter several times. Only of a filter that nobody can change. */
  #last: { readonly filter: Filter; readonly rows: Bitset } | null = null;

  constructor(lookup: RowLookup, options: RowFilterOptions = {}) {
    this.#lookup = lookup;
    this.#denseAbove = options.denseAbove;
  }

  add(facts: EntityFacts, units: readonly FilteredRow[]): void {
    this.#forget();
    for (const { row, kind } of units) {
      this.#rows.add(row);
      this.#groupOf(this.#kind, kind).add(row);
    }
    this.#eachMembership(facts, (groups, value) => {
      const group = this.#groupOf(groups, value);
      for (const { row } of units) group.add(row);
    });
  }

  /** Takes what the rows were added with. */
  remove(facts: EntityFacts, units: readonly FilteredRow[]): void {
    this.#forget();
    for (const { row, kind } of units) {
      this.#rows.delete(row);
      leave(this.#kind, kind, row);
    }
    this.#eachMembership(facts, (groups, value) => {
      for (const { row } of units) leave(groups, value, row);
    });
  }

  /** The rows that pass. Shared with the cache: read it before the next write and never change it. */
  rows(filter: Filter): Bitset {
    if (this.#last?.filter === filter) return this.#last.rows;
    const rows = this.#passing(filter);
    if (isFrozen(filter)) this.#last = { filter, rows };
    return rows;
  }

  hasTag(tag: string): boolean {
    return this.#tag.has(foldTag(tag));
  }

  #passing(filter: Filter): Bitset {
    const { entities, ...broad } = filter;
    const passing = this.#broadRows(broad);
    if (entities === undefined) return passing;
    const chosen = new Bitset();
    for (const id of entities) {
      for (const row of this.#lookup.rowsOfEntity(id)) if (passing.has(row)) chosen.add(row);
    }
    return chosen;
  }

  #forget(): void {
    if (this.#cache.size > 0) this.#cache.clear();
    this.#last = null;
  }

  #broadRows(filter: BroadFilter): Bitset {
    const { types, statuses, enabled, tags, readers, unitKinds } = filter;
    const key = JSON.stringify([types, statuses, enabled, tags, readers, unitKinds]);
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;

    const rows = this.#rows.clone();
    if (types !== undefined) {
      const typed = anyOf(this.#type, types);
      if (types.includes('tool')) this.#kind.get('tool')?.addTo(typed);
      rows.intersect(typed);
    }
    if (statuses !== undefined) rows.intersect(anyOf(this.#status, statuses));
    if (enabled !== undefined) rows.intersect(anyOf(this.#enabled, [enabled]));
    for (const tag of tags ?? []) rows.intersect(anyOf(this.#tag, [foldTag(tag)]));
    if (readers !== undefined) rows.intersect(anyOf(this.#reader, readers));
    if (unitKinds !== undefined) rows.intersect(anyOf(this.#kind, unitKinds));

    const oldest = this.#cache.size < MAX_CACHED ? undefined : this.#cache.keys().next().value;
    if (oldest !== undefined) this.#cache.delete(oldest);
    this.#cache.set(key, rows);
    return rows;
  }

  #eachMembership(facts: EntityFacts, visit: (groups: Groups, value: string | boolean) => void): void {
    visit(this.#type, facts.type);
    visit(this.#status, facts.status);
    visit(this.#enabled, facts.enabled);
    for (const tag of facts.tags) visit(this.#tag, tag);
    for (const reader of facts.readers) visit(this.#reader, reader);
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

/** With the lists in it. */
function isFrozen(filter: Filter): boolean {
  if (!Object.isFrozen(filter)) return false;
  for (const key in filter) {
    const value = filter[key as keyof Filter];
    if (typeof value === 'object' && !Object.isFrozen(value)) return false;
  }
  return true;
}

function leave(groups: Groups, value: string | boolean, row: number): void {
  const group = groups.get(value);
  if (group === undefined) return;
  group.delete(row);
  if (group.size === 0) groups.delete(value);
}

function anyOf(groups: Groups, values: readonly (string | boolean)[]): Bitset {
  const rows = new Bitset();
  for (const value of values) groups.get(value)?.addTo(rows);
  return rows;
}
