import { describe, expect, it } from 'vitest';
import { parseSettings } from '../config.ts';
import { wantsModel } from './early-model.ts';

const settings = parseSettings({});

describe('wantsModel', () => {
  it.each([
    ['words', { query: 'read a web page' }, true],
    ['words beside a code', { query: 'the D40 form' }, true],
    ['a code', { query: 'D40' }, false],
    ['nothing, as with tags alone', { query: '' }, false],
    ['a ranking by keyword', { query: 'read a web page', preset: 'keyword' }, false],
    ['a ranking by meaning', { query: 'read a web page', preset: 'vector' }, true],
    ['a ranking that is not there', { query: 'read a web page', preset: 'constructor' }, false],
  ])('is decided by %s', (_, question, expected) => {
    expect(wantsModel(question, settings)).toBe(expected);
  });

  it('goes by the ranking of the settings where the question names none', () => {
    expect(wantsModel({ query: 'page' }, parseSettings({ preset: 'keyword' }))).toBe(false);
  });
});
