import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/engine-fixtures.ts';
import { entityId, parseEntity } from '../../../model/entity.ts';
import { unitId } from '../../../model/entity-parts/unit.ts';
import { entityFacts } from '../../../model/query/filter.ts';
import { RowIndex } from '../index/row-index.ts';
import type { VectorSource } from '../index/vector-space.ts';
import { loadSnapshot, saveSnapshot } from './index-snapshot.ts';

const NO_SOURCE: VectorSource = {
  vectors: () => [],
  lastRowWithVector: () => -1,
  allRowsWithVector: () => [],
  vectorOf: () => undefined,
};

/** Between them, no fact of an entity is empty or its default. */
const ENTITIES = [
  {
    type: 'skill',
    path: '/skills/zip',
    name: 'zip',
    tags: ['Files'],
    status: 'beta',
    is_enabled: false,
    visibility: 'group-restricted',
    allowed_groups: ['ops'],
    owner: 'ada',
    facets: { language: 'Go', license: 'MIT' },
  },
  { type: 'memory', path: '/m', content: 'Tea is at four.', memory_type: 'note', owner: 'bob' },
].map((entity) => parseEntity(entity).entity);

it('gives back every fact of an entity, so that filters match the same rows', () => {
  const folder = temporaryFolder();
  const file = join(folder.path, 'snapshot');
  const index = new RowIndex(null);
  ENTITIES.forEach((entity, row) => {
    const facts = entityFacts(entity);
    const unit = { row, id: unitId(facts.id, 'card'), entity: facts.id, type: facts.type } as const;
    index.setEntity({
      no: row,
      facts,
      units: [{ ...unit, kind: 'card', title: entity.name, textHash: '', actions: null }],
    });
  });
  saveSnapshot(file, 'first', 1, index);
  const loaded = loadSnapshot(file, 'first', null, NO_SOURCE, {}).index;
  expect([...loaded.table.entities()]).toEqual([...index.table.entities()]);
  folder.remove();
});

it('has the table in several texts if it is long', () => {
  const folder = temporaryFolder();
  const file = join(folder.path, 'snapshot');
  const index = new RowIndex(null);
  const facts = entityFacts(ENTITIES[0]!);
  for (let row = 0; row < 20_001; row++) {
    const id = entityId('skill', `/skills/${row}`);
    const unit = { row, id: unitId(id, 'card'), entity: id, type: 'skill', kind: 'card' } as const;
    const units = [{ ...unit, title: `skill ${row}`, textHash: `${row}`, actions: null }];
    index.setEntity({ no: row + 1, facts: { ...facts, id }, units });
  }
  saveSnapshot(file, 'first', 1, index);
  const { table } = loadSnapshot(file, 'first', null, NO_SOURCE, {}).index;
  expect([...table.entities()]).toEqual([...index.table.entities()]);
  expect(table.sortedIds()).toEqual(index.table.sortedIds());
  folder.remove();
});
