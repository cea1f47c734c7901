import { setImmediate } from 'node:timers/promises';
import type { UnitId } from '../../model/entity-parts/unit.ts';
import { fromStoredText } from '../stored-text.ts';
import type { Collection, StoredPoint } from './collection.ts';
import { pointId } from './point.ts';
import type { QdrantSpace } from './qdrant-space.ts';

/** Points of one request: some hundred kilobytes, and some milliseconds to write them as text. */
const WRITE_POINTS = 100;
/** From this many on, indexing waits until all are written. */
export const BULK_POINTS = 20_000;
const DELETE_POINTS = 1_000;
const READ_POINTS = 1_000;

export interface WriteOptions {
  readonly isStopped: () => boolean;
  /** Called after each request that wrote points: many of them take minutes. */
  readonly onWritten: () => void;
}

/** Writes what the collection lacks. */
export async function writePending(
  space: QdrantSpace,
  collection: Collection,
  { isStopped, onWritten }: WriteOptions,
): Promise<void> {
  const { pending } = space;
  while (!pending.isEmpty && !isStopped()) {
    if (pending.count >= BULK_POINTS) await collection.pauseIndexing();
    const gone = [...pending.gone].slice(0, DELETE_POINTS);
    if (gone.length > 0) {
      await collection.delete(gone.map(pointId));
      for (const unit of gone) pending.gone.delete(unit);
      if (isStopped()) break;
    }
    if (await writeSome(space, collection)) onWritten();
    space.changed();
    await setImmediate();
  }
  if (!isStopped()) await collection.resumeIndexing();
}

/** Returns whether there was any point to write. */
async function writeSome(space: QdrantSpace, collection: Collection): Promise<boolean> {
  const { pending } = space;
  const rows = pending.take(WRITE_POINTS);
  const points = rows.flatMap((row) => {
    const [payload, vector] = [space.payload(row), space.vectorOf(row)];
    const [[id] = []] = idOf(space, row);
    return id === undefined || payload === undefined || vector === undefined ? [] : [{ id, row, payload, vector }];
  });
  // Before the request: a row that gets a vector meanwhile must keep it.
  const found = new Set(points.map(({ row }) => row));
  for (const row of rows) if (!found.has(row)) space.lose(row);
  if (points.length > 0) await collection.write(points);
  for (const { row, payload } of points) pending.done(row, payload.digest);
  return points.length > 0;
}

/** Which of the pending points another node has written. */
export async function checkPending(
  space: QdrantSpace,
  collection: Collection,
  isStopped: () => boolean,
): Promise<void> {
  const { pending } = space;
  // Deletions need no check: a unit that does not exist is never shown.
  pending.gone.clear();
  while (pending.count > 0 && !isStopped()) {
    const before = pending.count;
    const rows = pending.take(READ_POINTS);
    const byId = new Map(rows.flatMap((row) => idOf(space, row)));
    for (const { id, digest } of await collection.read([...byId.keys()])) {
      const row = byId.get(id)!;
      if (space.payload(row)?.digest === digest) pending.done(row, digest);
    }
    space.changed();
    if (pending.count >= before) return;
  }
}

/** Which points a collection lacks is not known to a process that only reads it, or has yet to compare it. How many is. */
export async function countLacking(space: QdrantSpace, collection: Collection): Promise<void> {
  const stored = await collection.count();
  space.lacking = Math.max(0, space.size - space.pending.count - stored);
}

/** Compares every point with the store: marks what the collection lacks, and deletes what the store does not have. */
export async function compareAll(space: QdrantSpace, collection: Collection, isStopped: () => boolean): Promise<void> {
  const { pending, present } = space;
  pending.forgetDigests();
  await collection.checkIndexing();
  await countLacking(space, collection);
  let after: string | null = null;
  do {
    const { points, next } = await collection.page(after, READ_POINTS);
    // Another process may know points that this one does not.
    if (isStopped()) return;
    const unknown = points.filter((point) => !compare(space, point));
    if (unknown.length > 0) await collection.delete(unknown.map(({ id }) => id));
    after = next;
    await setImmediate();
  } while (after !== null && !isStopped());
  if (isStopped()) return;
  for (const row of present) if (pending.digest(row) === 0) pending.lacks(row);
  space.lacking = 0;
  space.changed();
}

/** False if the store has no such unit. */
function compare(space: QdrantSpace, { id, unit, digest }: StoredPoint): boolean {
  const row = space.rows.table.unit(fromStoredText(unit) as UnitId)?.row;
  if (row === undefined || !space.present.has(row) || idOf(space, row)[0]?.[0] !== id) return false;
  space.pending.compared(row, digest, space.payload(row)?.digest === digest);
  return true;
}

function idOf(space: QdrantSpace, row: number): [string, number][] {
  const unit = space.rows.table.unitAt(row);
  return unit === undefined ? [] : [[pointId(unit.id), row]];
}
