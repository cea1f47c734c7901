import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { answerHash, rememberRecords, toJson } from './remembered-records.ts';

interface Source {
  readonly value: unknown;
}

const remembered = rememberRecords(({ value }: Source) => ({ value, more: [value] }));
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 22);

const part = fc.oneof(
  fc.jsonValue(),
  fc.constant(undefined),
  fc.date({ noInvalidDate: true }),
  fc.jsonValue().map((value) => remembered({ value })),
);
const body = fc.oneof(
  part,
  fc.dictionary(fc.string(), fc.oneof(part, fc.array(part))),
  fc.array(fc.jsonValue()).map((values) => ({ items: values.map((value) => remembered({ value })), total: 3 })),
);

it('writes and hashes any body as JSON.stringify does, the first time and again', () => {
  fc.assert(
    fc.property(body, (made) => {
      const wanted = JSON.stringify(made);
      for (let time = 0; time < 2; time++) {
        expect(toJson(made)).toBe(wanted);
        if (wanted !== undefined) expect(answerHash(made, wanted)).toBe(hashOf(wanted));
      }
    }),
    { numRuns: 500 },
  );
});

it('makes one record of one source, which cannot be changed', () => {
  const source = { value: 1 };
  expect(remembered(source)).toBe(remembered(source));
  expect(remembered(source)).not.toBe(remembered({ value: 1 }));
  expect(Object.isFrozen(remembered(source))).toBe(true);
});

it('forgets what was not used for longest, and never remembers what is too large', () => {
  let made = 0;
  const record = rememberRecords(({ value }: Source) => {
    made++;
    return { value };
  }, 100);
  const makes = (source: Source) => {
    const before = made;
    record(source);
    return made - before;
  };
  const [used, unused] = [{ value: 'x'.repeat(20) }, { value: 'y'.repeat(20) }];
  expect([makes(used), makes(unused)]).toEqual([1, 1]);
  for (let n = 0; n < 20; n++) {
    record({ value: 'z'.repeat(20) });
    expect(makes(used)).toBe(0);
  }
  expect(makes(unused)).toBe(1);
  const large = { value: 'x'.repeat(200) };
  expect([makes(large), makes(large)]).toEqual([1, 1]);
});

it('remembers a copy of a record that is its own source, so that the JSON can be forgotten before the source is', () => {
  const source = Object.freeze({ name: 'lamp' });
  const remember = rememberRecords((record: typeof source) => record);
  expect(remember(source)).toEqual(source);
  expect(remember(source)).not.toBe(source);
  expect(remember(source)).toBe(remember(source));
});
