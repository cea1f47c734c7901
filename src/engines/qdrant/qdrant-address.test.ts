import { expect, it } from 'vitest';
import { parseQdrantAddress } from './qdrant-address.ts';

it.each([
  ['qdrant://127.0.0.1:6333', ['http://127.0.0.1:6333'], '127.0.0.1:6333'],
  ['qdrant://qdrant', ['http://qdrant:6333'], 'qdrant:6333'],
  ['qdrants://vectors.example/', ['https://vectors.example:6333'], 'vectors.example:6333'],
  ['qdrant://a:1,b:2,c', ['http://a:1', 'http://b:2', 'http://c:6333'], 'a:1, b:2, c:6333'],
  ['qdrant://[::1]:6333', ['http://[::1]:6333'], '[::1]:6333'],
])('reads %s', (text, urls, shown) => {
  expect(parseQdrantAddress(text)).toEqual({ urls, shown });
});

it.each([
  'qdrant://',
  'http://hunter2:6333',
  'qdrant://hunter2@host',
  'qdrant://host/?api_key=hunter2',
  'qdrant://a,,b',
  'qdrant://a:port',
])('refuses %s and does not repeat it', (text) => {
  let error: unknown;
  try {
    parseQdrantAddress(text);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({
    code: 'INVALID_SETTING',
    field: 'vectors',
    hint: expect.stringContaining('qdrant://'),
  });
  expect(JSON.stringify([String(error), error])).not.toContain('hunter2');
});
