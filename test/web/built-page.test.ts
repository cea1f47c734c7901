import { expect, it } from 'vitest';
import { readWebFiles } from '../../src/http/web/web-files.ts';

const MAX_GZIPPED_BYTES = 75_000;

/** The namespaces of XML are names; the others are examples in texts. */
const HARMLESS = new Set(['http://www.w3.org', 'http://localhost', 'https://example.com']);

const files = readWebFiles() ?? new Map();

it('has at most 75 kB in all, gzipped', () => {
  const sizes = [...files.values()].map(({ gzipped }) => gzipped.length);
  expect(sizes.length).toBeGreaterThan(2);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_GZIPPED_BYTES);
});

it('asks nobody else for anything', () => {
  for (const [name, { bytes }] of files) {
    const addresses = new TextDecoder().decode(bytes).match(/https?:\/\/[\w.-]+/g) ?? [];
    expect([name, addresses.filter((address) => !HARMLESS.has(address))]).toEqual([name, []]);
  }
});
