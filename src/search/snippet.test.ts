import { expect, it } from 'vitest';
import { snippet } from './snippet.ts';

const long = `${'lorem ipsum dolor '.repeat(40)}the needle is here ${'sit amet elit '.repeat(40)}`;

it('shows the part of a long text around the first match', () => {
  const shown = snippet(long, ['absent', 'needle'], 100);
  expect(shown).toContain('needle');
  expect(shown.length).toBeLessThanOrEqual(106);
  expect(shown.startsWith('… ') && shown.endsWith(' …')).toBe(true);
});

it('shows the beginning when no word matches', () => {
  expect(snippet(long, ['absent'], 100)).toMatch(/^lorem ipsum/);
});

it('shows all of a short text with single spaces', () => {
  expect(snippet('  two\n\nlines ', [])).toBe('two lines');
  expect(snippet('', ['x'])).toBe('');
});

it('shows a match at the end of a text', () => {
  expect(snippet(`${'word '.repeat(100)}needle`, ['needle'], 60)).toMatch(/needle$/);
});
