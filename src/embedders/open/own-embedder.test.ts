import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { openRegistry } from '../../open.ts';
import { checkedEmbedder, type OwnEmbedder } from './own-embedder.ts';

const OWN: OwnEmbedder = {
  id: 'test/own/2',
  dimensions: 2,
  embed: async (texts) => texts.map((text) => (text.includes('tea') ? [3, 4] : [0, 2])),
};
const raise = (message: string) => {
  throw new Error(message);
};
const vectors = (embed: unknown, texts = ['tea', 'rope']) =>
  checkedEmbedder({ ...OWN, embed: embed as OwnEmbedder['embed'] }).embed(texts, { as: 'document' });

it('takes vectors that come at once', async () => {
  expect(await vectors(() => [[0, 2]], ['rope'])).toEqual([Float32Array.of(0, 1)]);
});

it('gives the data folder back though closing the model fails', async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const settings = { data_dir: folder.path };
  const registry = await openRegistry(settings, { embedder: { ...OWN, close: async () => raise('stuck') } });
  await expect(registry.close()).rejects.toThrow('stuck');
  const again = await openRegistry(settings, { embedder: OWN });
  await again.close();
});

it('scales vectors, and asks for none without texts', async () => {
  expect(await vectors(OWN.embed)).toEqual([Float32Array.of(0.6, 0.8), Float32Array.of(0, 1)]);
  expect(await vectors(() => Promise.reject(new Error('asked')), [])).toEqual([]);
});

it.each([
  ['no list', async () => undefined, 'EMBEDDER_REJECTED', 'It gave no vectors for 2 texts.'],
  ['too few vectors', async () => [[1, 0]], 'EMBEDDER_REJECTED', 'It gave 1 vectors for 2 texts.'],
  ['another size', async () => [[1, 0], [1]], 'EMBEDDER_REJECTED', 'It gave a vector of 1 numbers, not 2.'],
  ['a missing vector', async () => [[1, 0], null], 'EMBEDDER_REJECTED', 'It gave a vector of 0 numbers, not 2.'],
  [
    'no numbers',
    async () => [
      [1, 0],
      [Number.NaN, 1],
    ],
    'EMBEDDER_REJECTED',
    'a number that is not finite',
  ],
  ['an error that is thrown at once', () => raise('no GPU'), 'EMBEDDER_UNAVAILABLE', 'failed: no GPU'],
  ['an error', async () => Promise.reject(new Error('no GPU')), 'EMBEDDER_UNAVAILABLE', 'failed: no GPU'],
])('refuses %s', async (_, embed, code, text) => {
  await expect(vectors(embed)).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
});

it.each([
  [{ id: '' }, 'embedder.id'],
  [{ id: 7 }, 'embedder.id'],
  [{ dimensions: 0 }, 'embedder.dimensions'],
  [{ dimensions: 1.5 }, 'embedder.dimensions'],
  [{ dimensions: undefined }, 'embedder.dimensions'],
  [{ embed: undefined }, 'embedder.embed'],
])('refuses a registry with the embedder %j', async (wrong, field) => {
  const opened = openRegistry({ engine: 'memory' }, { embedder: { ...OWN, ...wrong } as never });
  await expect(opened).rejects.toMatchObject({ code: 'INVALID_SETTING', field });
});

it('is searched with, closed with the registry, and done without while it fails', async () => {
  let isClosed = false;
  let isDown = false;
  const embedder: OwnEmbedder = {
    ...OWN,
    embed: async (texts, options) => {
      if (isDown) throw new Error('down');
      return OWN.embed(texts, options);
    },
    close: async () => {
      isClosed = true;
    },
  };
  const registry = await openRegistry({ engine: 'memory' }, { embedder, background: false });
  onTestFinished(() => registry.close());
  const put = (path: string, description: string) =>
    registry.put({ type: 'skill', path, name: path.slice(1), description });
  await put('/brew', 'Brews a pot of tea.');
  await put('/knot', 'Ties a knot.');
  await registry.embedPending();
  const found = await registry.search({ query: 'green tea' });
  expect([found.search_mode, found.results[0]?.path]).toEqual(['hybrid', '/brew']);
  isDown = true;
  const without = await registry.search({ query: 'black tea' });
  expect([without.search_mode, without.results[0]?.path]).toEqual(['lexical-only', '/brew']);
  await registry.close();
  expect(isClosed).toBe(true);
});
