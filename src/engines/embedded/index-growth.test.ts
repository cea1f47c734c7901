import { expect, it } from 'vitest';
import { entityId } from '../../model/entity.ts';
import { FIELDS, unitId } from '../../model/entity-parts/unit.ts';
import { BoostIndex } from '../../search/keyword/boost/boost-index.ts';
import { KeywordIndex } from '../../search/keyword/keyword-index.ts';
import type { AnalyzedUnit } from '../../search/text/analyzed-unit.ts';
import { UnitTable } from './index/unit-table.ts';
import { WaitingRows } from './index/waiting-rows.ts';

/** A full map copies all its keys when it takes one more, and no search runs meanwhile. */
const MAX_KEYS = 2 ** 14;
const MORE_KEYS = 8 * MAX_KEYS;
const WORDS_OF_ROW = 500;

/** The size of the largest map or set that something is added to during the work. Not by spies: they keep every call. */
function largestMapIn(work: () => void): number {
  let largest = 0;
  const { set } = Map.prototype;
  const { add } = Set.prototype;
  Map.prototype.set = function (key, value) {
    largest = Math.max(largest, this.size + Number(!this.has(key)));
    return set.call(this, key, value);
  };
  Set.prototype.add = function (value) {
    largest = Math.max(largest, this.size + Number(!this.has(value)));
    return add.call(this, value);
  };
  try {
    work();
  } finally {
    Map.prototype.set = set;
    Set.prototype.add = add;
  }
  return largest;
}

/** A unit whose words no other one has. */
function unitAt(row: number): AnalyzedUnit {
  const words = Array.from({ length: WORDS_OF_ROW }, (_, n) => `w${row}x${n}`);
  const ones = Array.from(words, () => 1);
  const wordFields = Uint8Array.from(words, () => 2 ** FIELDS.length - 1);
  return { terms: words, counts: Uint32Array.from(ones), lengths: new Uint32Array(FIELDS.length), words, wordFields };
}

function entityAt(row: number) {
  const id = entityId('tool', `/t${row}`);
  const lists = { tags: [], readers: ['public'], facets: [] };
  const facts = {
    id,
    type: 'tool',
    status: 'active',
    enabled: true,
    visibility: 'public',
    memory: null,
    ...lists,
  } as const;
  const unit = {
    row,
    id: unitId(id, 'card'),
    entity: id,
    type: 'tool',
    kind: 'card',
    title: '',
    textHash: '',
    actions: null,
  } as const;
  return { no: row, facts, units: [unit] };
}

it('adds terms and words without copying all of them', () => {
  const [keyword, boost] = [new KeywordIndex(), new BoostIndex()];
  const units = Array.from({ length: Math.ceil(MORE_KEYS / WORDS_OF_ROW) }, (_, row) => unitAt(row));
  const largest = largestMapIn(() => {
    for (const [row, unit] of units.entries()) {
      keyword.add(row, unit);
      boost.add(row, unit, { kind: 'card', cardRow: row });
    }
  });
  expect([keyword.size, boost.size]).toEqual([units.length, units.length]);
  expect(largest).toBe(MAX_KEYS);
});

it('adds entities without copying all of them', () => {
  const table = new UnitTable();
  const largest = largestMapIn(() => {
    for (let row = 0; row < MORE_KEYS; row++) table.set(entityAt(row));
  });
  expect(table.entityCount).toBe(MORE_KEYS);
  expect(largest).toBe(MAX_KEYS);
});

it('keeps nothing of rows that no longer wait for a vector', () => {
  const waiting = new WaitingRows();
  const largest = largestMapIn(() => {
    for (let row = 0; row < 1000; row++) {
      waiting.set(row, true);
      waiting.set(row, false);
    }
  });
  expect(largest).toBe(1);
});
