import { describe, expect, it, vi } from 'vitest';
import { memoryRegistry } from '../../test/support/memory-registry.ts';
import { parseSettings } from '../config.ts';
import { createApp } from './app.ts';
import { serverLoad } from './load/server-load.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));

async function post(path: string, body: unknown, type = 'application/json') {
  const { status, text } = await send(path, body, { 'Content-Type': type });
  return { status, text, error: JSON.parse(text).error };
}

async function send(path: string, body: unknown, headers: Readonly<Record<string, string>>) {
  const app = createApp({
    registry: await memoryRegistry(),
    version: '1',
    logger: quiet,
    load: serverLoad({ ...parseSettings({}), body_limit_bytes: 16_000_000 }),
    logQueryText: false,
    loopbackOnly: true,
  });
  const response = await app.request(`http://localhost${path}`, {
    method: 'POST',
    headers: { ...headers, Host: 'localhost' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const SERVER = { type: 'mcp_server', path: '/x', name: 'X' };
const REPEATED = `name=a&${'tags=x&'.repeat(100_000)}path=/x`;
const PARTS = Array.from({ length: 3000 }, () => '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n').join(
  '',
);

describe('a request beyond a limit is refused with its name', () => {
  it.each([
    ['200,000 metadata keys', '/api/entities', { ...SERVER, metadata: fields(200_000) }, 'metadata', 'json_fields'],
    ['300,000 unknown fields', '/api/entities', { ...SERVER, ...fields(300_000) }, undefined, 'json_fields'],
    [
      'a search with 300,000 fields',
      '/api/search/semantic',
      { query: 'x', ...fields(300_000) },
      undefined,
      'json_fields',
    ],
    ['a list of a million numbers', '/api/search/semantic', { tags: Array(1e6).fill(0) }, 'tags', 'json_items'],
    [
      '100,000 levels',
      '/api/search/semantic',
      `{"tags": ${'['.repeat(1e5)}${']'.repeat(1e5)}}`,
      'tags.0.0',
      'json_depth',
    ],
  ])('%s', async (_, path, body, field, limit) => {
    const { status, error, text } = await post(path, body);
    expect([status, error.code, error.field]).toEqual([422, 'INVALID_REQUEST', field]);
    expect(error.message).toContain(`(${limit})`);
    expect(text.length).toBeLessThan(1000);
  });

  it.each([
    ['application/x-www-form-urlencoded', REPEATED],
    ['multipart/form-data; boundary=b', `${PARTS}--b--\r\n`],
  ])('a form of %s with too many fields', async (type, body) => {
    const { status, error } = await post('/api/servers/register', body, type);
    expect([status, error.code]).toEqual([422, 'INVALID_REQUEST']);
    expect(error.message).toContain('(form_fields)');
  });

  it('a front matter of 90,000 commas', async () => {
    const content = `---\nname: a\ndescription: [${','.repeat(90_000)}]\n---\n`;
    const { status, error } = await post('/api/skills/parse-skill-md', { content });
    expect([status, error.field]).toEqual([422, 'content']);
    expect(error.message).toContain('(front_matter_chars)');
  });
});

it('answers a batch with a bounded list of warnings', async () => {
  const entities = Array.from({ length: 200 }, (_, i) => ({ ...SERVER, path: `/x${i}`, ...fields(30) }));
  const { status, text } = await post('/api/entities:batch', { entities });
  const { warnings } = JSON.parse(text) as { warnings: string[] };
  expect([status, warnings.length]).toEqual([200, 100]);
  expect(warnings.at(-1)).toBe('Other warnings: 4101.');
});

it.each([
  ['/api/search/semantic', { query: 'mail', other: Array(10_000).fill('x'.repeat(200)) }],
  [
    '/mcp',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_registry', arguments: { query: 'mail', other: Array(10_000).fill('x'.repeat(200)) } },
    },
  ],
])('parses the two megabytes of a request to %s in small parts, and once', async (path, body) => {
  const text = JSON.stringify(body);
  const parse = vi.spyOn(JSON, 'parse');
  const { status } = await send(path, text, {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  });
  const lengths = parse.mock.calls.map(([part]) => part.length);
  parse.mockRestore();
  expect(status).toBeLessThan(500);
  expect(Math.max(...lengths)).toBeLessThan(200_000);
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(1.5 * text.length);
});
