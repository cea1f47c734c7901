import { describe, expect, it } from 'vitest';
import { type EntityId, entityId } from '../../../model/entity.ts';
import { type UnitId, unitId } from '../../../model/entity-parts/unit.ts';
import { type EntityRow, UnitTable } from './unit-table.ts';

function entity(no: number, path: string, rows: readonly number[]): EntityRow {
  const id = entityId('tool', path);
  const common = {
    status: 'active',
    enabled: true,
    tags: [],
    readers: ['public'],
    visibility: 'public',
    facets: [],
    memory: null,
  } as const;
  const facts = { id, type: 'tool', ...common } as const;
  const units = rows.map((row, i) => {
    const own = unitId(id, i === 0 ? 'card' : `chunk:${i}`);
    return { row, id: own, entity: id, type: 'tool', kind: 'card', title: path, textHash: '', actions: null } as const;
  });
  return { no, facts, units };
}

const tableOf = (...entities: readonly EntityRow[]): UnitTable => {
  const table = new UnitTable();
  for (const each of entities) table.set(each);
  return table;
};

describe('UnitTable', () => {
  it('hands out free rows, lowest gaps before new ones, and takes them only when they are used', () => {
    const table = tableOf(entity(1, '/a', [2, 5]));
    expect(table.freeRows(6)).toEqual([0, 1, 3, 4, 6, 7]);
    expect(table.freeRows(2)).toEqual([0, 1]);
    table.set(entity(2, '/b', [0]));
    expect(table.freeRows(2)).toEqual([1, 3]);
    table.delete(entityId('tool', '/a'));
    expect([...table.freeRows(5)].sort()).toEqual([1, 2, 3, 4, 5]);
  });

  it('frees the rows that a new version no longer has', () => {
    const table = tableOf(entity(1, '/a', [0, 1, 2]));
    table.set(entity(1, '/a', [0, 2]));
    expect(table.unitCount).toBe(2);
    expect(table.unitAt(1)).toBeUndefined();
    expect(table.ownerOf(2)?.facts.id).toBe('tool:/a');
    expect(table.freeRows(1)).toEqual([1]);
  });

  it('knows the card of every row, whichever unit of its entity that is', () => {
    const whole = entity(1, '/a', [3, 1, 2]);
    const withCardAt = (card: number): EntityRow => ({
      ...whole,
      units: whole.units.map((unit) => ({ ...unit, kind: unit.row === card ? 'card' : 'chunk' })),
    });
    const table = tableOf(withCardAt(1));
    expect([0, 1, 2, 3, 4].map((row) => table.cardOf(row))).toEqual([-1, 1, 1, 1, -1]);
    expect([1, 2, 3].map((row) => table.kindOf(row))).toEqual(['card', 'chunk', 'chunk']);
    table.set(withCardAt(2));
    expect([1, 2, 3].map((row) => table.cardOf(row))).toEqual([2, 2, 2]);
    expect([1, 2, 3].map((row) => table.kindOf(row))).toEqual(['chunk', 'card', 'chunk']);
    table.set(withCardAt(9));
    expect([1, 2, 3].map((row) => table.cardOf(row))).toEqual([-1, -1, -1]);
    table.set(withCardAt(3));
    table.delete(whole.facts.id);
    expect([1, 2, 3].map((row) => table.cardOf(row))).toEqual([-1, -1, -1]);
  });

  it('finds a unit whose key or entity has # in it', () => {
    const table = tableOf(entity(1, '/a', [0]), entity(2, '/a#card', [1]), entity(3, '#', [2]));
    const sharp = entity(4, '/sharp', [3]);
    const id = unitId(sharp.facts.id, 'tool:c#to#d#');
    table.set({ ...sharp, units: sharp.units.map((unit) => ({ ...unit, id })) });
    expect(table.unit(id)?.row).toBe(3);
    expect(table.unit('tool:/a#card' as UnitId)?.row).toBe(0);
    expect(table.unit('tool:/a#card#card' as UnitId)?.row).toBe(1);
    expect(table.unit('tool:##card' as UnitId)?.row).toBe(2);
    for (const none of ['tool:/a', 'tool:/a#chunk:1', '#', '', '##'])
      expect(table.unit(none as UnitId)).toBeUndefined();
  });

  it('keeps ids sorted through additions, replacements and deletions', () => {
    const table = tableOf(entity(1, '/c', [0]), entity(2, '/a', [1]));
    const sorted = () => table.sortedIds().map((id: EntityId) => id.slice('tool:'.length));
    expect(sorted()).toEqual(['/a', '/c']);
    table.set(entity(3, '/b', [2]));
    table.set(entity(1, '/c', [0]));
    expect(sorted()).toEqual(['/a', '/b', '/c']);
    table.delete(entityId('tool', '/a'));
    expect(sorted()).toEqual(['/b', '/c']);
    table.delete(entityId('tool', '/b'));
    table.set(entity(4, '/d', [1]));
    expect(sorted()).toEqual(['/c', '/d']);
    table.delete(entityId('tool', '/d'));
    table.set(entity(5, '/d', [1]));
    expect(sorted()).toEqual(['/c', '/d']);
  });

  it('gives a new entity a number of its own', () => {
    const table = tableOf(entity(7, '/a', [0]), entity(3, '/b', [1]));
    expect(table.nextNo).toBe(8);
  });
});
