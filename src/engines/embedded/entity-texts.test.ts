import { expect, it } from 'vitest';
import { type EntityTextLimits, EntityTexts } from './entity-texts.ts';
import type { RecordStore, StoredDocument } from './record/record-store.ts';

const LIMITS: EntityTextLimits = { maxChars: 1000, maxBytes: 50, readsBefore: 0 };

/** Entities by number, of 10 characters unless another text is given, and what was asked of the record. */
class NotingRecord {
  readonly texts = new Map<number, string>();
  readonly singles: number[][] = [];
  readonly blocks: number[] = [];

  constructor(count: number) {
    for (let no = 1; no <= count; no++) this.texts.set(no, `entity ${String(no).padStart(3, '0')}`);
  }

  readEntities(numbers: readonly number[]): readonly StoredDocument[] {
    this.singles.push([...numbers]);
    return numbers.flatMap((no) => this.#stored(no));
  }

  readBlock(from: number, end: number, maxBytes: number): readonly StoredDocument[] {
    this.blocks.push(from);
    const numbers = [...this.texts.keys()].filter((no) => no >= from && no < end);
    return numbers.flatMap((no) => this.#stored(no)).filter(([, , , json]) => Buffer.byteLength(json) <= maxBytes);
  }

  #stored(no: number): StoredDocument[] {
    const json = this.texts.get(no);
    return json === undefined ? [] : [[no, 'created', 'updated', json]];
  }
}

function setUp(count: number, limits: Partial<EntityTextLimits> = {}) {
  const record = new NotingRecord(count);
  const texts = new EntityTexts(record as unknown as RecordStore, { ...LIMITS, ...limits });
  const read = (...numbers: number[]) => Object.fromEntries(texts.read(numbers).map(([no, , , json]) => [no, json]));
  return { record, texts, read };
}

it('brings in the neighbors of what is asked for, once', () => {
  const { record, read } = setUp(100);
  expect(read(1, 70)).toEqual({ 1: 'entity 001', 70: 'entity 070' });
  expect(read(2, 63, 64, 100)).toEqual({ 2: 'entity 002', 63: 'entity 063', 64: 'entity 064', 100: 'entity 100' });
  expect(record.blocks).toEqual([0, 64]);
  expect(record.singles).toEqual([]);
});

it('leaves out what is not there', () => {
  const { read } = setUp(10);
  expect(read(10, 11, 500)).toEqual({ 10: 'entity 010' });
});

it('reads what it is asked for and no more, as long as that is little', () => {
  const { record, read } = setUp(100, { readsBefore: 3 });
  expect(read(1, 2)).toEqual({ 1: 'entity 001', 2: 'entity 002' });
  expect(read(1)).toEqual({ 1: 'entity 001' });
  expect(record.blocks).toEqual([]);
  expect(read(1)).toEqual({ 1: 'entity 001' });
  expect(record).toMatchObject({ blocks: [0], singles: [[1, 2], [1]] });
});

it('reads large ones when they are wanted', () => {
  const { record, read } = setUp(10);
  record.texts.set(3, 'x'.repeat(51));
  expect(read(2, 3)).toEqual({ 2: 'entity 002', 3: 'x'.repeat(51) });
  expect(read(3)).toEqual({ 3: 'x'.repeat(51) });
  expect(record).toMatchObject({ blocks: [0], singles: [[3], [3]] });
});

it('takes in no more when it is full, and some again after a deletion', () => {
  const { record, texts, read } = setUp(300, { maxChars: 1270 });
  expect(read(1, 64)).toEqual({ 1: 'entity 001', 64: 'entity 064' });
  expect(read(128)).toEqual({ 128: 'entity 128' });
  expect(record).toMatchObject({ blocks: [0, 64], singles: [[128]] });
  texts.forget(1);
  expect(read(128)).toEqual({ 128: 'entity 128' });
  expect(record.blocks).toEqual([0, 64, 128]);
});

it('takes in no more than fits, also of what was written since', () => {
  const { record, texts, read } = setUp(100, { maxChars: 640 });
  read(1);
  for (let no = 1; no <= 63; no++) {
    record.texts.set(no, 'x'.repeat(50));
    texts.forget(no);
  }
  for (let no = 1; no <= 63; no++) read(no);
  record.singles.length = 0;
  for (let no = 1; no <= 63; no++) read(no);
  expect(record.singles.length).toBeGreaterThan(40);
});

it('measures in bytes', () => {
  const { record, texts, read } = setUp(10);
  read(1);
  record.texts.set(1, '字'.repeat(17));
  texts.forget(1);
  read(1);
  read(1);
  expect(record.singles).toEqual([[1], [1]]);
});

it('gives what was written since', () => {
  const { record, texts, read } = setUp(10);
  read(1);
  record.texts.set(1, 'changed');
  record.texts.set(11, 'new');
  record.texts.delete(2);
  for (const no of [1, 2, 11]) texts.forget(no);
  for (let round = 0; round < 2; round++) expect(read(1, 2, 11)).toEqual({ 1: 'changed', 11: 'new' });
  // What has been read once is at hand; what is gone is looked for.
  expect(record.singles).toEqual([[1, 2, 11], [2]]);
});
