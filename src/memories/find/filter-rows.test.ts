import { expect, it } from 'vitest';
import type { EntityId } from '../../model/entity.ts';
import type { ViewRow } from '../../registry/contract/registry.ts';
import { filterRows } from './filter-rows.ts';

/** The rows of one chain: each version supersedes the one before. `circle`: the last one is superseded by the first. */
function chainOf(size: number, circle = false): ViewRow[] {
  return Array.from({ length: size }, (_, n) => {
    const next = n + 1 < size ? n + 1 : circle ? 0 : null;
    const successor = next === null ? null : (`memory:/${next}` as EntityId);
    return { id: `memory:/${n}`, path: `/${n}`, status: 'active', tags: [], memory: { at: 0, successor } };
  }) as unknown as ViewRow[];
}

const listed = (rows: readonly ViewRow[]) =>
  filterRows(rows, { memory: {}, tags: [], withSuperseded: true, withDeleted: true }).map(({ path }) => path);

it('lists a chain of any length, each memory after its successor', () => {
  const rows = chainOf(50_000);
  expect(listed(rows)).toEqual(rows.map(({ path }) => path).reverse());
});

it('lists every memory of a circle once', () => {
  expect(listed(chainOf(3, true)).toSorted()).toEqual(['/0', '/1', '/2']);
});
