import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { registryOver } from '../../../test/support/registry-over.ts';
import { WordEmbedder } from '../../../test/support/word-embedder.ts';
import { openEmbedded } from '../../engines/embedded/open-embedded.ts';
import type { Engine } from '../../engines/engine.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { LocalRegistry } from '../contract/registry.ts';
import type { Model } from './served-model.ts';

/** Two models of one size: if their vectors were ever compared, nothing would notice but these tests. */
const MAIL = [['mail', 'letter', 'post']];
const OLD = 'test/old/64';
const NEW = 'test/new/64';

let folder: ReturnType<typeof temporaryFolder>;
let registry: LocalRegistry | undefined;
let engine: Engine;
/** Which model's vectors each query was compared with, next to the model that made it. */
let compared: { readonly space: string | undefined; readonly vector: Float32Array }[];

beforeEach(() => {
  folder = temporaryFolder();
  compared = [];
});
afterEach(async () => {
  await registry?.close();
  folder.remove();
});

const asModel = (embedder: WordEmbedder): Model => ({
  embedder,
  state: () =>
    embedder.failure === null
      ? { id: embedder.id, state: 'ready' }
      : { id: embedder.id, state: 'down', error: embedder.failure.message },
});

interface OpenParts {
  readonly previous?: WordEmbedder | null;
  readonly background?: boolean;
}

/** As `openRegistry` does it, with models that the test holds. */
async function open(
  embedder: WordEmbedder,
  { previous = null, background = true }: OpenParts = {},
): Promise<LocalRegistry> {
  await registry?.close();
  engine = await openEmbedded({ dir: folder.path, embedder });
  const retrieve = engine.index.retrieve.bind(engine.index);
  engine.index.retrieve = (query) => {
    if (query.vector !== null) compared.push({ space: query.vector.embedder, vector: query.vector.values });
    return retrieve(query);
  };
  if (engine.vectors.building !== null && previous === null) await engine.vectors.serveBuilding();
  const { state } = asModel(embedder);
  registry = registryOver(engine, embedder, {
    embedderState: state,
    previous: previous === null ? null : asModel(previous),
    background,
  });
  return registry;
}

const entity = (n: number) => ({ type: 'tool', path: `/t${n}`, name: `t${n}`, description: n % 2 ? 'post' : 'rain' });
const ENTITIES = Array.from({ length: 6 }, (_, n) => entity(n));

async function filledByOld(): Promise<WordEmbedder> {
  const old = new WordEmbedder(MAIL, 'old');
  await (await open(old)).putMany(ENTITIES);
  return old;
}
const mode = async () => (await registry!.search({ query: 'mail' })).search_mode;
const building = async () => (await registry!.health()).embedder.building;

/** A model that waits at a gate before it embeds documents. */
class GatedEmbedder extends WordEmbedder {
  gate: Promise<void> = Promise.resolve();
  open = () => {};

  shut(): void {
    this.gate = new Promise((resolve) => {
      this.open = resolve;
    });
  }

  override async embed(...args: Parameters<WordEmbedder['embed']>) {
    if (args[1].as === 'document') await this.gate;
    return super.embed(...args);
  }
}

describe('a registry whose model is changed', () => {
  it('goes on with the old model while the new vectors are built, swaps, and deletes the old ones', async () => {
    const old = await filledByOld();
    const next = new GatedEmbedder(MAIL, 'new');
    next.shut();
    await open(next, { previous: old });
    old.embedded.length = 0;
    expect(await mode()).toBe('hybrid');
    expect(old.embedded).toEqual(['mail']);
    expect(await registry!.health()).toMatchObject({
      status: 'healthy',
      index: { vectors: 6, missing_vectors: 0 },
      embedder: { id: OLD, building: { id: NEW, done: 0, total: 6 } },
    });
    next.open();
    await expect.poll(building).toBeUndefined();
    await expect.poll(async () => (await registry!.health()).index.stale_vectors).toBe(0);
    expect(await registry!.health()).toMatchObject({ status: 'healthy', index: { vectors: 6 }, embedder: { id: NEW } });
    const before = old.embedded.length;
    expect(await mode()).toBe('hybrid');
    expect([old.embedded.length, next.embedded.includes('mail')]).toEqual([before, true]);
  });

  it('gives what is written meanwhile vectors of both', async () => {
    const old = await filledByOld();
    const next = new GatedEmbedder(MAIL, 'new');
    next.shut();
    await open(next, { previous: old });
    expect(await registry!.put(entity(7))).toMatchObject({ pending_vectors: 0 });
    expect((await registry!.search({ query: 'letter' })).results.map(({ path }) => path)).toContain('/t7');
    next.open();
    await expect.poll(building).toBeUndefined();
    expect(await registry!.health()).toMatchObject({ index: { vectors: 7, missing_vectors: 0 } });
  });

  it('never compares a question of one model with vectors of the other, whenever the swap comes', async () => {
    const old = await filledByOld();
    const next = new GatedEmbedder(MAIL, 'new');
    next.shut();
    await open(next, { previous: old });
    old.delayMs = 40;
    const asked: string[] = [];
    for (const model of [old, next]) {
      const embed = model.embed.bind(model);
      model.embed = async (texts, options) => {
        const vectors = await embed(texts, options);
        // Marks whose vector it is: the two models give the same numbers.
        if (options.as === 'query') for (const vector of vectors) vector[0] = model === old ? 0.25 : 0.5;
        return vectors;
      };
    }
    const searches: Promise<unknown>[] = [];
    for (let i = 0; i < 30; i++) {
      if (i === 10) next.open();
      searches.push(registry!.search({ query: `mail ${i}` }).then(({ search_mode }) => asked.push(search_mode)));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all(searches);
    expect(asked).toEqual(Array(30).fill('hybrid'));
    const pairs = new Set(compared.map(({ space, vector }) => `${space} ${vector[0]}`));
    expect([...pairs].sort()).toEqual([`${NEW} 0.5`, `${OLD} 0.25`]);
    await expect.poll(async () => (await registry!.health()).index.stale_vectors).toBe(0);
  });

  it('goes on where it stopped when it is ended half-way', async () => {
    const old = await filledByOld();
    const next = new WordEmbedder(MAIL, 'new');
    await open(next, { previous: old, background: false });
    const pending = await engine.vectors.missing(4, undefined, NEW);
    const vectors = await next.embed(
      pending.map(({ text }) => text),
      { as: 'document' },
    );
    await engine.vectors.put(
      pending.map(({ unit, textHash }, i) => ({ unit, textHash, vector: vectors[i]! })),
      NEW,
    );
    next.embedded.length = 0;
    await open(next, { previous: new WordEmbedder(MAIL, 'old') });
    await expect.poll(building).toBeUndefined();
    expect(next.embedded).toHaveLength(2);
    expect((await registry!.health()).embedder.id).toBe(NEW);
  });

  it('swaps at the end of `embedPending` where nothing runs in the background', async () => {
    const old = await filledByOld();
    await open(new WordEmbedder(MAIL, 'new'), { previous: old, background: false });
    expect((await registry!.health()).embedder.building).toEqual({ id: NEW, done: 0, total: 6 });
    expect(await registry!.embedPending()).toEqual({ embedded: 6, remaining: 0 });
    expect(await registry!.health()).toMatchObject({ index: { stale_vectors: 0 }, embedder: { id: NEW } });
  });

  it('answers by keyword, and says so, until there are new vectors when the old model cannot be used', async () => {
    await filledByOld();
    const next = new WordEmbedder(MAIL, 'new');
    next.fail();
    await open(next);
    const { search_mode, warnings } = await registry!.search({ query: 'post' });
    expect([search_mode, warnings.join()]).toEqual([
      'lexical-only',
      expect.stringContaining('No unit has a vector yet'),
    ]);
    expect(await registry!.health()).toMatchObject({
      status: 'degraded',
      index: { vectors: 0, missing_vectors: 6, stale_vectors: 6 },
    });
    next.recover();
    await expect.poll(mode).toBe('hybrid');
    await expect.poll(async () => (await registry!.health()).index.stale_vectors).toBe(0);
  });

  it('takes the new vectors, few as they are, when the old model refuses for good', async () => {
    const old = await filledByOld();
    const next = new GatedEmbedder(MAIL, 'new');
    next.shut();
    await open(next, { previous: old });
    old.failure = new DowserError('EMBEDDER_REJECTED', 'The key is no longer good.', { hint: 'Get another.' });
    const { search_mode, warnings } = await registry!.search({ query: 'post' });
    expect([search_mode, warnings.join()]).toEqual(['lexical-only', expect.stringContaining('Get another')]);
    // One question may be at fault itself; a third in a row is not.
    expect((await registry!.health()).embedder.id).toBe(OLD);
    for (const query of ['letter', 'mail']) await registry!.search({ query });
    await expect.poll(async () => (await registry!.health()).embedder.id).toBe(NEW);
    next.open();
    await expect.poll(mode).toBe('hybrid');
  });

  it('fills in the cosines of what only keywords found from the space that it searches', async () => {
    const old = new WordEmbedder(MAIL, 'old');
    // More letters than one list holds: the one about rain is found by its name, and its cosine is filled in.
    const letters = Array.from({ length: 90 }, (_, n) => ({ ...entity(1), path: `/l${n}`, name: `l${n}` }));
    await (await open(old)).putMany([...letters, { ...entity(0), name: 'umbrella' }]);
    const next = new GatedEmbedder(MAIL, 'new');
    next.shut();
    await open(next, { previous: old });
    compared.length = 0;
    const { results } = await registry!.search({ query: 'post umbrella' });
    expect(results.find(({ name }) => name === 'umbrella')?.similarity_score).toEqual(expect.any(Number));
    expect(compared.map(({ space }) => space)).toEqual([OLD]);
    next.open();
  });

  it('goes back without computing anything when the settings do', async () => {
    await filledByOld();
    const next = new WordEmbedder(MAIL, 'new');
    next.fail();
    await open(next);
    const old = new WordEmbedder(MAIL, 'old');
    await open(old);
    expect(await mode()).toBe('hybrid');
    expect(old.embedded).toEqual(['mail']);
    expect((await registry!.health()).embedder).toMatchObject({ id: OLD, state: 'ready' });
  });
});
