import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../test/support/memory-registry.ts';
import { parseEntity } from '../model/entity.ts';
import { evaluate } from './evaluate.ts';
import type { LabeledSet } from './labeled-set.ts';

const entities = ['page reader', 'mail sender', 'suitcase packer'].map(
  (name) => parseEntity({ type: 'skill', path: `/${name.split(' ')[0]}`, name, tags: ['handy'] }).entity,
);

function labeled(...texts: readonly string[]): LabeledSet {
  const queries = texts.map((text, i) => ({ id: String(i), text, relevant: new Map([['/page', 1]]) }));
  return { name: 'small', entities, queries, rejected: 0, astray: { count: 0, of: 1 } };
}

async function filled() {
  const registry = await memoryRegistry();
  await registry.putMany(entities);
  return registry;
}

describe('evaluate', () => {
  it('measures each preset over every query, and compares with the first', async () => {
    const results = await evaluate(await filled(), labeled('page', 'mail'), { presets: ['keyword', 'lexical'] });
    expect(results).toMatchObject([
      { preset: 'keyword', queries: 2, 'hit@1': 0.5, zero_hit: 0.5 },
      { preset: 'lexical', against_first: { difference: 0 } },
    ]);
  });

  it('measures the presets of the registry on every type of a set', async () => {
    const registry = await memoryRegistry();
    await registry.put({ type: 'tool', path: '/page', name: 'page', description: 'Reads a page.' });
    const results = await evaluate(registry, labeled('page'), { presets: ['lexical', 'keyword'] });
    expect(results).toMatchObject([{ 'hit@1': 1 }, { 'hit@1': 1 }]);
  });

  it('does not take a keyword answer for one by meaning', async () => {
    const asked = evaluate(await filled(), labeled('page'), { presets: ['keyword', 'hybrid'] });
    await expect(asked).rejects.toMatchObject({
      code: 'EMBEDDER_UNAVAILABLE',
      message: expect.stringMatching(/'hybrid' searched "page" by keyword only\. No embedding model is configured/),
      hint: expect.stringContaining('--preset keyword'),
    });
  });

  it('takes a keyword answer in a script that the model does not read', async () => {
    const results = await evaluate(await filled(), labeled('天気'), { presets: ['hybrid'] });
    expect(results).toMatchObject([{ preset: 'hybrid', queries: 1 }]);
  });

  it('takes tags for what they are, a filter of every preset', async () => {
    const [result] = await evaluate(await filled(), labeled('#handy'), { presets: ['hybrid'] });
    expect(result?.outcomes[0]?.ranked).toHaveLength(3);
  });

  it('hears of a signal also when no answer has to be waited for', async () => {
    const registry = await filled();
    const answer = await registry.search({ query: 'page', preset: 'keyword' });
    let asked = 0;
    const stop = new AbortController();
    const search = async () => {
      asked++;
      return answer;
    };
    setTimeout(() => stop.abort('SIGINT'));
    const set = labeled(...Array.from({ length: 100_000 }, () => 'page'));
    const options = { presets: ['keyword'], signal: stop.signal };
    await expect(evaluate({ ...registry, search }, set, options)).rejects.toBe('SIGINT');
    expect(asked).toBeLessThan(set.queries.length);
  });
});
