import { expect, it } from 'vitest';
import type { UnitId } from '../../model/entity-parts/unit.ts';
import { PendingPoints } from './pending-points.ts';

const unit = (row: number) => `tool:/t${row}#card` as UnitId;

it('keeps a row that changed while it was written', () => {
  const pending = new PendingPoints();
  pending.add(1, unit(1));
  pending.add(2, unit(2));
  expect(pending.take(10)).toEqual([1, 2]);
  pending.add(2, unit(2));
  pending.done(1, 11);
  pending.done(2, 22);
  expect([pending.count, [...pending.rows], pending.digest(1), pending.digest(2)]).toEqual([1, [2], 11, 0]);
  expect(pending.take(10)).toEqual([2]);
  pending.done(2, 23);
  expect([pending.isEmpty, pending.digest(2)]).toEqual([true, 23]);
});

it('deletes the point of a row that was removed while it was written', () => {
  const pending = new PendingPoints();
  pending.add(1, unit(1));
  pending.take(10);
  pending.remove(1, unit(1));
  pending.done(1, 11);
  expect([[...pending.gone], pending.count, pending.digest(1)]).toEqual([[unit(1)], 0, 0]);
  pending.add(5, unit(1));
  expect([...pending.gone]).toEqual([]);
});

it('believes what the server has of a row that did not change, and writes one that did', () => {
  const pending = new PendingPoints();
  for (const row of [1, 2]) pending.doubt(row);
  pending.add(3, unit(3));
  expect(pending.hasChanges).toBe(true);
  for (const row of [1, 3]) pending.compared(row, 7, true);
  pending.compared(2, 7, false);
  expect([[...pending.rows], pending.digest(1), pending.digest(3)]).toEqual([[2, 3], 7, 0]);
  const unsure = new PendingPoints();
  unsure.doubt(1);
  expect([unsure.hasChanges, unsure.isEmpty]).toEqual([false, false]);
});
