import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { REGISTRY_ROWS } from '../support/registry-rows.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Where the rows are listed, not proven. */
const LISTS = ['rows.test.ts', 'registry-rows.ts'];

/** Texts of test files without their comments: a row that is only talked about is not tested. */
const tests: readonly string[] = ['src', 'test'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(
      ({ name }) => (folder === 'src' ? name.endsWith('.test.ts') : name.endsWith('.ts')) && !LISTS.includes(name),
    )
    .filter((entry) => entry.isFile())
    .map((entry) =>
      readFileSync(join(entry.parentPath, entry.name), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ''),
    ),
);

/** Row ids at the beginning of a text: of a test's name, or of the first cell of a table of cases. */
const ROW = /(?<=['"`(]|, |and )(?:[A-Z]{2,4}-\d+|LIM|CAP)(?![\w-])/g;
const cited = new Set(tests.flatMap((text) => text.match(ROW) ?? []));

const KINDS = new Set(Object.keys(REGISTRY_ROWS).map((row) => row.split('-')[0]));

describe('the rows of the registry’s contract', () => {
  it('are all proven by a test that names them', () => {
    expect(Object.keys(REGISTRY_ROWS).filter((row) => !cited.has(row))).toEqual([]);
  });

  it('are the only ones that tests name', () => {
    const ofTheirKind = [...cited].filter((row) => KINDS.has(row.split('-')[0]));
    expect(ofTheirKind.filter((row) => !Object.hasOwn(REGISTRY_ROWS, row))).toEqual([]);
  });

  it('say in words what each of them is about', () => {
    for (const [row, words] of Object.entries(REGISTRY_ROWS)) expect(words.length, row).toBeGreaterThan(5);
  });
});
