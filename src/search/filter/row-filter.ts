import type { EntityId } from '../../model/entity.ts';
import { type Filter, type FilterFacts, foldTag } from '../../model/filter.ts';
import type { UnitId } from '../../model/unit.ts';
import { Bitset } from './bitset.ts';
import { RowGroup } from './row-group.ts';

/** How rows are found by name; the owner of the rows has these maps anyway. */
export interface RowLookup {
  rowsOfEntity(id: EntityId): readonly number[];
  rowOfUnit(id: UnitId): number | undefined;
}

export interface RowFilterOptions {
  /** Groups above this many rows are kept as bits. */
  readonly denseAbove?: number;
}

/** A server sees few distinct filters between two writes; more are not worth their memory. */
const MAX_CACHED = 64;

type BroadFilter = Omit<Filter, 'entities' | 'units'>;
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

  constructor(lookup: RowLookup, options: RowFilterOptions = {}) {
    this.#lookup = lookup;
    this.#denseAbove = options.denseAbove;
  }

  add(row: number, facts: FilterFacts): void {
    this.#cache.clear();
    this.#rows.add(row);
    this.#join(this.#type, facts.type, row);
    this.#join(this.#status, facts.status, row);
    this.#join(this.#enabled, facts.enabled, row);
    this.#join(this.#kind, facts.kind, row);
    for (const tag of facts.tags) this.#join(this.#tag, tag, row);
    for (const reader of facts.readers) this.#join(this.#reader, reader, row);
  }

  /** Takes the facts that the row was added with. */
  remove(row: number, facts: FilterFacts): void {
    this.#cache.clear();
    this.#rows.delete(row);
    leave(this.#type, facts.type, row);
    leave(this.#status, facts.status, row);
    leave(this.#enabled, facts.enabled, row);
    leave(this.#kind, facts.kind, row);
    for (const tag of facts.tags) leave(this.#tag, tag, row);
    for (const reader of facts.readers) leave(this.#reader, reader, row);
  }

  /** The rows that pass. Shared with the cache: read it before the next write and never change it. */
  rows(filter: Filter): Bitset {
    const { entities, units, ...broad } = filter;
    const passing = this.#broadRows(broad);
    if (entities === undefined && units === undefined) return passing;
    const named = units === undefined ? this.#rowsOfEntities(entities ?? []) : this.#rowsOfUnits(units);
    const chosen = new Bitset();
    for (const row of named) if (passing.has(row)) chosen.add(row);
    if (entities !== undefined && units !== undefined) chosen.intersect(Bitset.of(this.#rowsOfEntities(entities)));
    return chosen;
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

  #join(groups: Groups, value: string | boolean, row: number): void {
    let group = groups.get(value);
    if (group === undefined) {
      group = new RowGroup(this.#denseAbove);
      groups.set(value, group);
    }
    group.add(row);
  }

  *#rowsOfEntities(ids: readonly EntityId[]): Generator<number> {
    for (const id of ids) yield* this.#lookup.rowsOfEntity(id);
  }

  *#rowsOfUnits(ids: readonly UnitId[]): Generator<number> {
    for (const id of ids) {
      const row = this.#lookup.rowOfUnit(id);
      if (row !== undefined) yield row;
    }
  }
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
