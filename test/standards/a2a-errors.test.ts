import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAgentCard } from '../../src/sources/formats/a2a-card.ts';
import { faultsOf } from '../support/standard-schemas.ts';
import { standardsServer, type TestServer } from '../support/standards-server.ts';

let site: TestServer;
beforeAll(async () => {
  site = await standardsServer([{ type: 'mcp_server', path: '/clock', name: 'Clock', description: 'Tells the time.' }]);
});
afterAll(() => site.close());

async function send(method: string, params: unknown, version?: string, inQuery = false) {
  const response = await fetch(`${site.url}/a2a${inQuery ? `?A2A-Version=${version}` : ''}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(version === undefined || inQuery ? {} : { 'A2A-Version': version }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await response.json()) as {
    readonly result?: unknown;
    readonly error?: { readonly code: number; readonly data?: readonly { readonly reason: string }[] };
  };
}
const message = (...parts: unknown[]) => ({ message: { messageId: 'm', role: 'ROLE_USER', parts } });

describe('the version of a request', () => {
  it.each([['1.0'], ['1.0.3'], ['0.3'], ['0.3.0'], [' 1.0 '], [''], [undefined]])('%j is answered', async (version) => {
    expect((await send('SendMessage', message({ text: 'time' }), version)).error).toBeUndefined();
  });

  it.each([['2.0'], ['0.2'], ['1'], ['one'], ['1.0, 0.3']])('%j is not supported', async (version) => {
    const { error } = await send('SendMessage', message({ text: 'time' }), version);
    expect([error?.code, error?.data?.[0]?.reason]).toEqual([-32009, 'VERSION_NOT_SUPPORTED']);
  });

  it('may be a parameter', async () => {
    expect((await send('SendMessage', message({ text: 'time' }), '9.9', true)).error?.code).toBe(-32009);
  });
});

describe('the errors that A2A names', () => {
  it.each([
    ['GetTask', -32001, 'TASK_NOT_FOUND'],
    ['CancelTask', -32001, 'TASK_NOT_FOUND'],
    ['tasks/get', -32001, 'TASK_NOT_FOUND'],
    ['CreateTaskPushNotificationConfig', -32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    ['ListTaskPushNotificationConfigs', -32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    ['tasks/pushNotificationConfig/set', -32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    ['SendStreamingMessage', -32004, 'UNSUPPORTED_OPERATION'],
    ['SubscribeToTask', -32004, 'UNSUPPORTED_OPERATION'],
    ['message/stream', -32004, 'UNSUPPORTED_OPERATION'],
    ['tasks/resubscribe', -32004, 'UNSUPPORTED_OPERATION'],
    ['GetExtendedAgentCard', -32004, 'UNSUPPORTED_OPERATION'],
    ['agent/getAuthenticatedExtendedCard', -32007, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'],
    ['tasks/list', -32601, undefined],
    ['make/coffee', -32601, undefined],
  ])('%s is refused by %i', async (method, code, reason) => {
    const { error } = await send(method, { id: 't' });
    expect([error?.code, error?.data?.[0]?.reason]).toEqual([code, reason]);
  });

  it.each([
    [[{ raw: 'AAAA', mediaType: 'image/png' }], -32005],
    [[{ text: 'time' }, { url: 'https://example.com/a.png' }], -32005],
    [[{ kind: 'file', file: { uri: 'https://example.com/a.png' } }], -32005],
    [[{ data: { a: 1 } }], -32005],
    [[{ kind: 'data', data: {} }], -32005],
    [[{ mediaType: 'text/plain' }], -32602],
    [['time'], -32602],
    [[], -32602],
    [[{ text: '' }], -32602],
  ])('parts %j are refused by %i', async (parts, code) => {
    for (const method of ['SendMessage', 'message/send']) {
      expect((await send(method, message(...parts))).error?.code).toBe(code);
    }
  });

  it('a message of an unknown task is refused', async () => {
    const params = { message: { messageId: 'm', taskId: 't', parts: [{ text: 'time' }] } };
    expect((await send('SendMessage', params)).error?.code).toBe(-32001);
  });
});

describe('every served card has a protocol version', () => {
  const cards = [
    { name: 'Bare', description: 'Says nothing of it.', url: 'https://bare.example/a2a', skills: [{ name: 'do it' }] },
    { name: 'Older', description: 'Of 0.3.', url: 'https://older.example', protocolVersion: '0.3.0', skills: [] },
    {
      name: 'Current',
      description: 'Of 1.0.',
      supportedInterfaces: [
        { url: 'https://now.example', protocolBinding: 'GRPC', protocolVersion: '1.0', tenant: 't' },
      ],
      skills: [{ id: 'a', name: 'A', description: 'Does a.', tags: ['x'], securityRequirements: [{ key: [] }] }],
    },
    { name: 'Half', description: 'Forgot it.', supportedInterfaces: [{ url: 'https://half.example' }], skills: [] },
  ];
  const EXPECTED = {
    bare: [['JSONRPC', '0.3'], '0.3', 'https://bare.example/a2a'],
    older: [['JSONRPC', '0.3.0'], '0.3.0', 'https://older.example'],
    current: [['GRPC', '1.0'], undefined, undefined],
    half: [['JSONRPC', '0.3'], '0.3', 'https://half.example'],
  };

  it.each(Object.entries(EXPECTED))('%s', async (name, [first, protocolVersion, url]) => {
    const card = cards.find((one) => one.name.toLowerCase() === name);
    await site.registry.put(readAgentCard(card).entity);
    const { json } = await site.get(`/ard/artifacts/${encodeURIComponent(`urn:air:127.0.0.1:agent:${name}`)}`);
    expect(faultsOf('agentCard', json)).toEqual([]);
    const [preferred] = json.supportedInterfaces;
    expect([[preferred.protocolBinding, preferred.protocolVersion], json.protocolVersion, json.url]).toEqual([
      first,
      protocolVersion,
      url,
    ]);
    if (name === 'current') expect(json.skills).toEqual(card?.skills);
  });

  it('also our own', async () => {
    const { json } = await site.get('/.well-known/agent-card.json');
    expect(faultsOf('agentCard', json)).toEqual([]);
    expect(json).toMatchObject({ url: `${site.url}/a2a`, preferredTransport: 'JSONRPC', protocolVersion: '0.3.0' });
    for (const { protocolVersion } of json.supportedInterfaces) expect(protocolVersion).toMatch(/^\d\.\d$/);
  });
});
