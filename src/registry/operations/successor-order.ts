import type { EntityId } from '../../model/entity.ts';
import { compareIds } from '../../search/retrieval/compare-ids.ts';
import type { ViewRow } from './entity-view.ts';

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
  const known = new Map(all.map((row) => [row.id, row]));
  const placed = rows.map((row) => {
    if (!isSuperseded(row)) return { row, head: row, depth: 1 };
    const chain = new Set([row]);
    // A circle cannot be stored. One that is imported must not hold up a list.
    for (let next = successorOf(row, known); next !== undefined && !chain.has(next); next = successorOf(next, known))
      chain.add(next);
    return { row, head: [...chain].at(-1)!, depth: chain.size };
  });
  placed.sort((a, b) => (a.head === b.head ? a.depth - b.depth || compare(a.row, b.row) : compare(a.head, b.head)));
  return placed.map(({ row }) => row);
}

const successorOf = ({ memory }: ViewRow, known: ReadonlyMap<EntityId, ViewRow>): ViewRow | undefined =>
  memory?.successor == null ? undefined : known.get(memory.successor);

const ordered = new WeakMap<readonly ViewRow[], readonly ViewRow[]>();

/** All memories by id, below their successors. Null if none is superseded. Rows are read again only after a write. */
export function memoriesById(rows: readonly ViewRow[]): readonly ViewRow[] | null {
  if (!rows.some(isSuperseded)) return null;
  const known = ordered.get(rows) ?? belowSuccessors(rows, rows, byId);
  ordered.set(rows, known);
  return known;
}

/** The place after a cursor: an id of the page before, which may be gone. */
export function placeAfter(cursor: string, rows: readonly ViewRow[]): number {
  const at = rows.findIndex(({ id }) => id === cursor);
  if (at >= 0) return at + 1;
  const next = rows.findIndex((row) => !isSuperseded(row) && compareIds(row.id, cursor) > 0);
  return next < 0 ? rows.length : next;
}
