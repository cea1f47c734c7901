import { describe, expect, it } from 'vitest';
import { indexed, server } from '../../../test/support/engine-fixtures.ts';
import { type EntityId, idOf } from '../../model/entity.ts';
import type { ChangedEntity, RecordPage } from '../shared-record.ts';
import { pageSlices, wholePage } from './page-slices.ts';

function changed(n: number, tools: number): ChangedEntity {
  const names = Array.from({ length: tools }, (_, t) => ({ name: `tool${t}` }));
  const { entity, units } = indexed(server(`/s${n}`, 'x', { tools: names } as object), { vectors: false });
  const times = { createdAt: '', updatedAt: '' };
  return { id: idOf(entity), json: JSON.stringify(entity), units, ...times, annotations: {}, vectors: [] };
}

function pageOf(parts: Partial<RecordPage>): RecordPage {
  const embedders = { served: null, building: null };
  const reindex = null;
  const nothing = { entities: [], deleted: [], annotations: [], vectors: [], edges: [] };
  return {
    through: 1,
    head: { record: 'r', epoch: 'e', seq: 1, tip: '1:x', purged: 0, keys: '' },
    isKnown: true,
    embedders,
    reindex,
    ...nothing,
    ...parts,
  };
}

const ids = (count: number) => Array.from({ length: count }, (_, n) => `mcp_server:/d${n}` as EntityId);

describe('a page of changes', () => {
  it('is applied as a whole if it is small', () => {
    const page = pageOf({ entities: [changed(1, 9), changed(2, 9)], deleted: ids(3) });
    expect(wholePage(page)).toMatchObject({ deleted: ids(3), entities: [{}, {}] });
  });

  it.each([
    pageOf({ deleted: ids(301) }),
    pageOf({ entities: [changed(1, 60), changed(2, 60)] }),
    pageOf({ entities: Array.from({ length: 101 }, (_, n) => changed(n, 0)) }),
  ])('is applied in slices if it is not', (page) => {
    expect(wholePage(page)).toBeNull();
  });

  it('loses nothing in slices, and keeps each of them small', () => {
    const entities = Array.from({ length: 40 }, (_, n) => changed(n, n % 7));
    const page = pageOf({ entities, deleted: ids(250) });
    const slices = [...pageSlices(page)];
    expect(slices.flatMap(({ deleted = [] }) => deleted)).toEqual(page.deleted);
    const put = slices.flatMap((slice) => slice.entities ?? []);
    expect(put.map(({ indexed: { entity } }) => idOf(entity))).toEqual(entities.map(({ id }) => id));
    for (const { entities: some = [], deleted = [] } of slices) {
      expect(some.reduce((sum, { indexed: { units } }) => sum + units.length, 0)).toBeLessThanOrEqual(25);
      expect(deleted.length).toBeLessThanOrEqual(100);
    }
    expect(slices.findIndex((slice) => slice.entities !== undefined)).toBe(3);
  });

  it('gives an entity with more units a slice of its own', () => {
    const page = pageOf({ entities: [changed(1, 3), changed(2, 80), changed(3, 3)] });
    expect([...pageSlices(page)].map((slice) => slice.entities?.length)).toEqual([1, 1, 1]);
  });

  it('parses no unit before its slice is asked for', () => {
    let parsed = 0;
    const lazy = Array.from({ length: 300 }, (_, n) => {
      const { units, ...rest } = changed(n, 0);
      return Object.defineProperty(rest, 'units', {
        get: () => {
          parsed++;
          return units;
        },
      }) as ChangedEntity;
    });
    const page = pageOf({ entities: lazy });
    expect(wholePage(page)).toBeNull();
    pageSlices(page).next();
    expect(parsed).toBeLessThan(300);
  });
});
