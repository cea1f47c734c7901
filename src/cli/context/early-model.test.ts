import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../config.ts';
import { openEarly, wantsModel } from './early-model.ts';

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

describe('openEarly', () => {
  it('leaves a model alone that is not there', async () => {
    const models_dir = await mkdtemp(join(tmpdir(), 'dowser-early-'));
    const { embedder, state } = await openEarly(
      parseSettings({ engine: 'memory', models_dir, embeddings_model_name: 'all-MiniLM-L6-v2' }),
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([state().state, await readdir(models_dir)]).toEqual(['ready', []]);
    await embedder?.close();
    await rm(models_dir, { recursive: true });
  });
});
