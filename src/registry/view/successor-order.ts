import type { EntityId } from '../../model/entity.ts';
import { compareIds } from '../../search/retrieval/compare-ids.ts';
import type { ViewRow } from '../contract/registry.ts';

type Compare = (a: ViewRow, b: ViewRow) => number;

const isSuperseded = ({ memory }: ViewRow): boolean => memory !== null && memory.successor !== null;

export const byId: Compare = (a, b) => compareIds(a.id, b.id);

/**
 * Some rows in an order, but each superseded memory directly below its last successor, so that no list shows an old fact first.
 * `rows` have that order already, and `all` are those that a chain of successors may pass.
 */
export function belowSuccessors(
  rows: readonly ViewRow[],
  all: readonly ViewRow[],
  compare: Compare,
): readonly ViewRow[] {
  if (!rows.some(isSuperseded)) return rows;
  const placed = rows.map((row) => {
    const chain = chainOf(row, all);
    return { row, head: chain.at(-1)!, depth: chain.length };
  });
  placed.sort((a, b) => (a.head === b.head ? a.depth - b.depth || compare(a.row, b.row) : compare(a.head, b.head)));
  return placed.map(({ row }) => row);
}

/** A row and its successors, the last one at the end. */
function chainOf(row: ViewRow, all: readonly ViewRow[]): readonly ViewRow[] {
  if (!isSuperseded(row)) return [row];
  const known = rowsById(all);
  const successorOf = ({ memory }: ViewRow) => (memory?.successor == null ? undefined : known.get(memory.successor));
  const chain = new Set([row]);
  // A circle cannot be stored. One that is imported must not hold up a list.
  for (let next = successorOf(row); next !== undefined && !chain.has(next); next = successorOf(next)) chain.add(next);
  return [...chain];
}

const lookups = new WeakMap<readonly ViewRow[], ReadonlyMap<EntityId, ViewRow>>();

/** Rows are read again only after a write. */
function rowsById(rows: readonly ViewRow[]): ReadonlyMap<EntityId, ViewRow> {
  const known = lookups.get(rows) ?? new Map(rows.map((row) => [row.id, row]));
  lookups.set(rows, known);
  return known;
}

const ordered = new WeakMap<readonly ViewRow[], readonly ViewRow[]>();

/** All memories by id, below their successors. Null if none is superseded. */
export function memoriesById(rows: readonly ViewRow[]): readonly ViewRow[] | null {
  if (!rows.some(isSuperseded)) return null;
  const known = ordered.get(rows) ?? belowSuccessors(rows, rows, byId);
  ordered.set(rows, known);
  return known;
}

/** Between two ids of a cursor. No path has a control character. */
const BETWEEN = '\t';

/**
 * The cursor behind an entity: its id, for a superseded memory after that of its last successor. That one says where a page goes
 * on if the memory is deleted meanwhile. `memories` are all of them.
 */
export function cursorBehind(id: EntityId, memories: readonly ViewRow[]): string {
  const row = rowsById(memories).get(id);
  const head = row === undefined ? id : headOf(row, memories).id;
  return head === id ? id : `${head}${BETWEEN}${id}`;
}

const headOf = (row: ViewRow, all: readonly ViewRow[]): ViewRow => chainOf(row, all).at(-1)!;

export function parseCursor(cursor: string): { readonly head: string; readonly id: string } {
  const [head = cursor, id = head] = cursor.split(BETWEEN);
  return { head, id };
}

/**
 * The place after a cursor, whose entity may be gone. If it was a superseded memory, the memories below its last successor come
 * again: none is left out.
 */
export function placeAfter(cursor: string, rows: readonly ViewRow[], memories: readonly ViewRow[]): number {
  const { head, id } = parseCursor(cursor);
  for (const known of [id, head]) {
    const at = rows.findIndex((row) => row.id === known);
    if (at >= 0) return at + 1;
  }
  const next = rows.findIndex((row) => compareIds(headOf(row, memories).id, head) >= 0);
  return next < 0 ? rows.length : next;
}
