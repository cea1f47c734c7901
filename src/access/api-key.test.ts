import { expect, it } from 'vitest';
import { isKey, newKey } from './api-key.ts';

it('tells a key from a text that looks like one, by its checksum', () => {
  const key = newKey();
  const other = key.at(-1) === '0' ? '1' : '0';
  expect([isKey(key), isKey(`${key.slice(0, -1)}${other}`), isKey(`${key}0`), isKey(key.slice(1))]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
