import { expect, it } from 'vitest';
import { capacityFor, PostingPages, pageOf, startOf } from './posting-pages.ts';

const PAGE = 64;
const smallPages = () => new PostingPages(new Uint32Array(0), new Uint8Array(0), 0, PAGE);

it('never copies a full page', () => {
  const pages = smallPages();
  const last = () => pageOf(pages.reserve(16));
  while (last() === 0);
  const full = pages.at(0);
  expect(full.rows).toHaveLength(PAGE);
  for (let n = 0; n < 100; n++) last();
  expect(pages.at(0)).toBe(full);
  expect(last()).toBeGreaterThan(20);
});

it('gives no place to two blocks, and each block fits its page', () => {
  const pages = smallPages();
  const taken = new Set<string>();
  let used = 0;
  for (const length of [3, 60, 1, 200, 17, 5, 64, 2, 33, 1, 130, 9, 30]) {
    const block = pages.reserve(length);
    const capacity = capacityFor(length);
    expect(startOf(block) + capacity).toBeLessThanOrEqual(pages.at(pageOf(block)).rows.length);
    expect(pages.at(pageOf(block)).payload).toHaveLength(pages.at(pageOf(block)).rows.length);
    for (let n = 0; n < capacity; n++) taken.add(`${pageOf(block)}/${startOf(block) + n}`);
    used += capacity;
  }
  expect(taken.size).toBe(used);
});

it('uses the end of a page that was too short for a block', () => {
  const pages = smallPages();
  pages.reserve(32);
  pages.reserve(8);
  expect(pageOf(pages.reserve(32))).toBe(1);
  expect([pages.reserve(16), pages.reserve(8)].map(pageOf)).toEqual([0, 0]);
  expect(pageOf(pages.reserve(8))).toBe(1);
});

it('keeps what was written when its only page grows', () => {
  const pages = smallPages();
  const block = pages.reserve(1);
  pages.at(0).rows[startOf(block)] = 7;
  pages.at(0).payload[startOf(block)] = 9;
  pages.reserve(32);
  expect([pages.at(0).rows[startOf(block)], pages.at(0).payload[startOf(block)]]).toEqual([7, 9]);
});
