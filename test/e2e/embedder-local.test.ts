import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEarly } from '../../src/cli/context/early-model.ts';
import { parseSettings } from '../../src/config.ts';
import type { Embedder } from '../../src/embedders/embedder.ts';
import { ensureModel } from '../../src/embedders/models/model-store.ts';
import { openOnnxEmbedder } from '../../src/embedders/onnx/onnx-embedder.ts';
import { cutTokens, windowOf } from '../../src/embedders/onnx/token-window.ts';

/** With the real model. Its runtime is fetched into the usual store once. */
let embedder: Embedder;

beforeAll(async () => {
  embedder = openOnnxEmbedder();
  await embedder.warm!();
});
afterAll(() => embedder.close());

const embed = (...texts: string[]) => embedder.embed(texts, { as: 'document' });
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);

describe('the local model', () => {
  it('knows a kitten from a carburetor', async () => {
    const [cat, kitten, carburetor] = await embed('cat', 'kitten', 'carburetor');
    // 0.786 and 0.328 on AVX2; other processors round the 8-bit products a little differently.
    expect(cosine(cat!, kitten!)).toBeCloseTo(0.79, 1);
    expect(cosine(cat!, carburetor!)).toBeCloseTo(0.33, 1);
  });

  it('gives vectors of length 1 and of its size', async () => {
    const [vector] = await embed('send an email');
    expect(vector).toHaveLength(384);
    expect(cosine(vector!, vector!)).toBeCloseTo(1, 5);
    expect(embedder.id).toBe('local/dowser-tools-1/384');
  });

  it('gives a text the same vector alone, in a list, and as a question', async () => {
    const text = 'list the open pull requests of a repository';
    const [alone] = await embed(text);
    const others = Array.from({ length: 20 }, (_, i) => `another text, number ${i} `.repeat(1 + i));
    const inList = (await embed(...others, text)).at(-1);
    const [asQuestion] = await embedder.embed([text], { as: 'query' });
    expect(inList).toEqual(alone);
    expect(asQuestion).toEqual(alone);
  });

  it('takes any text: empty, blank, huge, broken', async () => {
    const odd = ['', '   ', '\u0000\u0007', '\ud800 lone', '日本語のツール検索', '[CLS] [SEP] [MASK]'];
    for (const vector of await embed(...odd)) {
      expect(vector.every(Number.isFinite)).toBe(true);
      expect(cosine(vector, vector)).toBeCloseTo(1, 5);
    }
  });

  it('gives no direction to a text of which it knows nothing, and one to a text of which it knows something', async () => {
    const [tools, cuneiform, word, mixed] = await embed('🛠️🧭', '𐎀𐎁𐎂 𐎃𐎄', 'x'.repeat(300_000), '🛠️ tool');
    for (const vector of [tools!, cuneiform!, word!]) expect(vector.every((x) => x === 0)).toBe(true);
    expect(cosine(mixed!, mixed!)).toBeCloseTo(1, 5);
  });

  it('reads 256 tokens and no more', async () => {
    const words = Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? 'search' : 'tool'));
    const [at253, at254, at400] = await embed(
      words.slice(0, 253).join(' '),
      words.slice(0, 254).join(' '),
      words.join(' '),
    );
    expect(at400).toEqual(at254);
    expect(at253).not.toEqual(at254);
  });

  it('reads no more of a long text than it needs, and misses nothing by it', async () => {
    const { tokenizer: file, tokenizerConfig } = await ensureModel();
    const [json, config] = await Promise.all([file, tokenizerConfig].map((path) => readFile(path, 'utf8')));
    const tokenizer = new Tokenizer(JSON.parse(json!), JSON.parse(config!));
    const tokenize = (text: string) => tokenizer.encode(text).ids;
    const texts = [
      'plain words of a long document '.repeat(2000),
      'naïve ÉTÉ ſ Σίσυφος '.repeat(2000),
      'a_snake_case_name-and/path.with.dots '.repeat(1000),
      '漢字かな交じり文'.repeat(3000),
      `${' '.repeat(20_000)}late words ${'more '.repeat(5000)}`,
      `${'unbroken'.repeat(5000)} then words ${'more '.repeat(2000)}`,
      '👩‍👩‍👧‍👦🏳️‍🌈'.repeat(3000),
    ];
    for (const text of texts) {
      for (const maxTokens of [16, 256]) {
        expect(windowOf(text, maxTokens, tokenize)).toEqual(cutTokens(tokenize(text), maxTokens));
      }
    }
  });
});

describe('while documents are embedded', () => {
  const documents = Array.from(
    { length: 200 },
    (_, i) => `Tool ${i} reads the weather of a city and sends it by mail.`,
  );

  it('the event loop stays free', async () => {
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns++;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    await embed(...documents);
    isDone = true;
    // Thousands; a model on this thread would leave a few for each text.
    expect(turns).toBeGreaterThan(10 * documents.length);
  });

  it('a question does not wait for them', async () => {
    let done = 0;
    const calls = Array.from({ length: 25 }, async (_, i) => {
      await embed(...documents.slice(8 * i, 8 * i + 8));
      done++;
    });
    const waitedFor: number[] = [];
    for (let i = 0; i < 5; i++) {
      const before = done;
      await embedder.embed([`how is the weather on day ${i}?`], { as: 'query' });
      waitedFor.push(done - before);
    }
    expect(done).toBeLessThan(calls.length);
    await Promise.all(calls);
    // The text under way may be the last of its call, but not every time.
    expect(Math.min(...waitedFor)).toBe(0);
  });

  it('an aborted call makes room at once', async () => {
    const stop = new AbortController();
    const call = embedder.embed(documents, { as: 'document', signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 30);
    await expect(call).rejects.toThrow('enough');
    const [vector] = await embed('next');
    expect(vector).toHaveLength(384);
  });
});

it('loads before it is asked anything, where a command will ask', async () => {
  const early = await openEarly(parseSettings({ engine: 'memory' }));
  await expect.poll(() => early.state().state, { interval: 5 }).toBe('loading');
  await expect.poll(() => early.state().state).toBe('ready');
  await early.embedder?.close();
});
