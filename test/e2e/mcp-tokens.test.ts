import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Tokenizer } from '@huggingface/tokenizers';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureModel } from '../../src/embedders/models/model-store.ts';
import { countTokens } from '../../src/model/text/token-count.ts';

const CATALOG = fileURLToPath(new URL('../../examples/catalog/', import.meta.url));

/** With the tokenizer of the real model. Its vocabulary is of 30,522 words, a fraction of what language models have. */
let count: (text: string) => number;
let texts: readonly { readonly text: string; readonly real: number; readonly estimate: number }[];

beforeAll(async () => {
  const model = await ensureModel();
  const [tokenizer, config] = await Promise.all(
    [model.tokenizer, model.tokenizerConfig].map(async (file) => JSON.parse(await readFile(file, 'utf8')) as object),
  );
  const real = new Tokenizer(tokenizer as never, config as never);
  count = (text) => real.encode(text, { add_special_tokens: false }).ids.length;
  const files = (await readdir(CATALOG)).filter((name) => name.endsWith('.jsonl'));
  const lines = await Promise.all(
    files.map(async (name) => (await readFile(CATALOG + name, 'utf8')).trim().split('\n')),
  );
  texts = lines.flat().flatMap((line) => {
    const { description = '', body = '', content = '', tools = [] } = JSON.parse(line) as Record<string, never>;
    return [line, description, body, content, JSON.stringify(tools)]
      .filter((text) => text !== '')
      .map((text) => ({ text, real: count(text), estimate: countTokens(text) }));
  });
});

describe('the token estimate', () => {
  it('is over a real tokenizer’s count for every text of the example catalog', () => {
    expect(texts.length).toBeGreaterThan(300);
    expect(texts.filter(({ real, estimate }) => estimate < real)).toEqual([]);
  });

  it('is not far over it: less than twice', () => {
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    expect(sum(texts.map(({ estimate }) => estimate)) / sum(texts.map(({ real }) => real))).toBeLessThan(2);
  });

  it.each([
    'Die Straße überquert den Fluß; naïve Façade, smørrebrød',
    'Поиск инструментов для агентов',
    '日本語のツール検索',
    '도구 검색',
    'أدوات البحث',
    '🛠️🧭 1234567890 0x7fff {"a":[1,2,{"b":null}]}',
    'xqzjkvbnm QWRTPSDF a1b2c3d4e5f6 snake_case_name kebab-case camelCaseName HTTPServerError',
    '\n\n\t  \n',
  ])('is over it for %j', (text) => {
    expect(countTokens(text)).toBeGreaterThanOrEqual(count(text));
  });
});
