import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { page } from './page.ts';

const SOURCES = new URL('../../src/', import.meta.url);

/** Environment variables that the code reads by name. Those of settings are read by the table of settings. */
function variablesRead(): readonly string[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(new URL(name, SOURCES), 'utf8'));
  const found = texts.flatMap((text) => [...text.matchAll(/\benv\.([A-Z][A-Z_]+)\b(?! = )/g)].map(([, name]) => name!));
  return [...new Set(found)].sort();
}

it('docs/settings.md names every environment variable', () => {
  const names = variablesRead();
  expect(names).toContain('DOWSER_KEY');
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(page('settings.md')))).toEqual([]);
});
