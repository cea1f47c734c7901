import { expect, it } from 'vitest';
import { Bitset } from '../../search/filter/bitset.ts';
import { VectorIndex } from '../../search/vector/vector-index.ts';
import { LocalVectors } from './local-vectors.ts';
import { MAX_SAMPLE, MeanSample } from './sampled-mean.ts';

const EMBEDDER = { id: 'test/mean/4', dimensions: 4 };
const vectorOf = (row: number) => Float32Array.of(1 + (row % 7), row % 3, row % 5, 1);

function sampleOf(rows: number, unitOf = (row: number) => `tool:/t${row}#card`) {
  const local = new LocalVectors({ vectorOf } as never, EMBEDDER);
  const present = new Bitset();
  for (let row = 0; row < rows; row++) present.add(row);
  return { sample: new MeanSample(4, local, unitOf), present };
}

it('is the mean of all vectors as an index in memory has it, while there are few', () => {
  const { sample, present } = sampleOf(500);
  const index = new VectorIndex(4);
  for (let row = 0; row < 500; row++) index.set(row, vectorOf(row));
  expect(sample.meanOf(present, null)).toEqual({ mean: index.mean(), count: 500 });
});

it('is near it for a sample of many, and the same whatever else there is', () => {
  const many = 3 * MAX_SAMPLE;
  const { sample, present } = sampleOf(2 * many);
  const within = new Bitset();
  for (let row = 0; row < many; row++) within.add(row);
  const { mean, count } = sample.meanOf(present, within);
  expect(count).toBeGreaterThan(MAX_SAMPLE / 2);
  expect(count).toBeLessThan(MAX_SAMPLE * 1.2);
  const alone = sampleOf(many);
  expect(alone.sample.meanOf(alone.present, null)).toEqual({ mean, count });
  const index = new VectorIndex(4);
  for (let row = 0; row < many; row++) index.set(row, vectorOf(row));
  const whole = index.mean()!;
  for (let i = 0; i < 4; i++) expect(mean![i]).toBeCloseTo(whole[i]!, 1);
});

it('follows rows that come and go', () => {
  const many = 2 * MAX_SAMPLE;
  const { sample, present } = sampleOf(many);
  sample.meanOf(present, null);
  for (let row = many; row < many + 500; row++) {
    present.add(row);
    sample.add(row);
  }
  for (let row = 0; row < 500; row++) {
    present.delete(row);
    sample.delete(row);
  }
  const again = sampleOf(0).sample;
  expect(sample.meanOf(present, null)).toEqual(again.meanOf(present, null));
});
