import { expect, it } from 'vitest';
import { refuseParams } from './check-params.ts';
import { readLine } from './read-line.ts';

const request = (method: string, params?: unknown) => ({ jsonrpc: '2.0', id: 7, method, params });

it.each([
  ['resources/read', { uri: 7 }, "Invalid parameters of resources/read: 'uri' is 7: must be text."],
  ['resources/read', {}, "Invalid parameters of resources/read: 'uri' is missing."],
  ['tools/list', { cursor: [] }, "Invalid parameters of tools/list: 'cursor' is []: must be text."],
  ['tools/call', { name: 5 }, "Invalid parameters of tools/call: 'name' is 5: must be text."],
  [
    'tools/call',
    { name: 'x', arguments: 'y' },
    'Invalid parameters of tools/call: \'arguments\' is "y": must be an object.',
  ],
  ['ping', { _meta: 1 }, "Invalid parameters of ping: '_meta' is 1: must be an object."],
])('refuses %s with %j in a sentence', (method, params, message) => {
  expect(refuseParams(request(method, params))).toEqual({ jsonrpc: '2.0', id: 7, error: { code: -32602, message } });
});

it('leaves other messages alone', () => {
  const plain = [
    request('tools/list'),
    request('tools/call', { name: 'search_tools', arguments: { query: 5 } }),
    request('constructor', { a: 1 }),
    { jsonrpc: '2.0', method: 'resources/read', params: { uri: 7 } },
    { jsonrpc: '2.0', id: 7, result: {} },
    'text',
    null,
  ];
  expect(plain.map(refuseParams)).toEqual(plain.map(() => undefined));
});

it('answers a line over standard input too', () => {
  const { message, refusal } = readLine(JSON.stringify(request('resources/read', { uri: 7 })));
  expect([message, refusal?.error.code]).toEqual([undefined, -32602]);
});
