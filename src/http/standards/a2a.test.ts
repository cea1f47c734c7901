import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultsOf } from '../../../test/support/standard-schemas.ts';
import { standardsServer, type TestServer } from '../../../test/support/standards-server.ts';

let site: TestServer;
beforeAll(async () => {
  site = await standardsServer([
    { type: 'mcp_server', path: '/clock', name: 'Clock', description: 'Tells the time.\nAnd more.' },
    {
      type: 'mcp_server',
      path: '/secret',
      name: 'Secret',
      description: 'Tells the time.',
      visibility: 'private',
      owner: 'ada',
    },
    { type: 'memory', path: 'm', content: 'tells the time' },
    { type: 'skill', path: '/pack', name: 'pack', description: 'Packs a suitcase.' },
  ]);
});
afterAll(() => site.close());

const rpc = (method: string, params?: unknown, id: unknown = 7) =>
  site.post('/a2a', { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
const message = (text: string, more: Record<string, unknown> = {}) => ({
  message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text }], ...more },
});

describe('the agent card', () => {
  it('is one of A2A 1.0, and the address it gives answers', async () => {
    const { json } = await site.get('/.well-known/agent-card.json');
    expect(faultsOf('agentCard', json)).toEqual([]);
    const path = json.supportedInterfaces[0].url.slice(site.url.length);
    const { json: answer } = await site.post(path, {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: message('time'),
    });
    expect(answer.result.message.role).toBe('ROLE_AGENT');
  });
});

describe('POST /a2a', () => {
  it('answers a message of 1.0 with one of 1.0', async () => {
    const { status, json } = await rpc('SendMessage', message('tells the time', { contextId: 'c1' }));
    expect([status, json.jsonrpc, json.id]).toEqual([200, '2.0', 7]);
    const { messageId, contextId, role, parts } = json.result.message;
    expect([typeof messageId, contextId, role]).toEqual(['string', 'c1', 'ROLE_AGENT']);
    expect(parts[0]).toEqual({ text: '1. Clock (mcp_server /clock): Tells the time.', mediaType: 'text/plain' });
    expect(parts[1].data.results).toMatchObject([{ entity_type: 'mcp_server', path: '/clock' }]);
    expect(JSON.stringify(json)).not.toMatch(/secret|memory/i);
  });

  it('answers a message of 0.3 with one of 0.3', async () => {
    const parts = [
      { kind: 'text', text: 'tells the' },
      { kind: 'data', data: {} },
      { kind: 'text', text: 'time' },
    ];
    const { json } = await rpc(
      'message/send',
      { message: { kind: 'message', messageId: 'm', role: 'user', parts } },
      'a',
    );
    expect(json).toMatchObject({
      id: 'a',
      result: { kind: 'message', role: 'agent', parts: [{ kind: 'text' }, { kind: 'data' }] },
    });
    expect(json.result.parts[0].text).toContain('Clock');
  });

  it('says that there is no match', async () => {
    const { json } = await rpc('SendMessage', message('zymurgy'));
    expect(json.result.message.parts[0].text).toBe('No match.');
  });

  it.each([
    ['GetTask', { id: 't' }, -32001],
    ['tasks/cancel', { id: 't' }, -32001],
    ['SendStreamingMessage', message('x'), -32004],
    ['CreateTaskPushNotificationConfig', {}, -32003],
    ['make/coffee', {}, -32601],
    ['SendMessage', undefined, -32602],
    ['SendMessage', { message: { parts: 'x' } }, -32602],
    ['SendMessage', { message: { parts: [{ data: {} }] } }, -32005],
    ['SendMessage', message(''), -32602],
    ['SendMessage', message('x'.repeat(8193)), -32602],
  ])('refuses %s with %j by code %i', async (method, params, code) => {
    const { status, json } = await rpc(method, params);
    expect([status, json.jsonrpc, json.id, json.error.code]).toEqual([200, '2.0', 7, code]);
    expect(json.error.message).not.toBe('');
  });

  it.each([
    [[], -32600, 200],
    [{ jsonrpc: '1.0', id: 1, method: 'SendMessage' }, -32600, 200],
    [{ jsonrpc: '2.0', method: 'SendMessage' }, -32600, 200],
    [{ jsonrpc: '2.0', id: {}, method: 'SendMessage' }, -32600, 200],
    ['{"jsonrpc": ', -32700, 400],
    ['', -32700, 400],
  ])('refuses the body %j by code %i', async (body, code, expected) => {
    const { status, json } = await site.post('/a2a', body);
    expect([status, json.jsonrpc, json.error.code]).toEqual([expected, '2.0', code]);
  });
});

describe('POST /api/search/tools', () => {
  it('answers in either format, with the origins', async () => {
    const tools = await standardsServer([
      {
        type: 'mcp_server',
        path: '/mail',
        name: 'Mail',
        tools: [{ name: 'send', description: 'Send an email.', inputSchema: { type: 'object', properties: {} } }],
      },
    ]);
    const ask = (format: string) => tools.post('/api/search/tools', { query: 'send email', format });
    const { status, json } = await ask('anthropic');
    expect([status, json.content.tool_references]).toEqual([
      200,
      [{ type: 'tool_reference', tool_name: 'mail__send' }],
    ]);
    expect(json.origins).toEqual([{ name: 'mail__send', server_path: '/mail', tool_name: 'send', path: '/mail#send' }]);
    expect((await ask('openai')).json.content.tools[0]).toMatchObject({ type: 'function', name: 'mail__send' });
    const degraded = 'No embedding model is configured; results are by keyword only.';
    expect(json.warnings).toEqual([degraded]);
    const doubtful = { query: 'send email', limit: 3, entity_types: ['skill'], explain: true };
    for (const format of ['anthropic', 'openai']) {
      const { json: warned } = await tools.post('/api/search/tools', { ...doubtful, format });
      expect(warned.origins).toEqual(json.origins);
      expect(warned.warnings).toEqual([
        "A search for tools has no field 'entity_types'; it is ignored.",
        "A search for tools has no field 'explain'; it is ignored.",
        "A search has no field 'limit'; it is ignored. Did you mean 'max_results'?",
        degraded,
      ]);
    }
    const refused = await ask('llama');
    expect([refused.status, refused.json.error.field]).toEqual([422, 'format']);
    await tools.close();
  });
});

describe('a public entity among many private ones', () => {
  it('is found behind any number of others', async () => {
    const secret = Array.from({ length: 60 }, (_, i) => ({
      type: 'mcp_server',
      path: `/secret-${i}`,
      name: 'tide table',
      description: 'tide table',
      visibility: 'private',
      owner: 'ada',
    }));
    const shown = { type: 'skill', path: '/harbour', name: 'harbour', description: 'It also has a table of the tide.' };
    const crowded = await standardsServer([...secret, shown]);
    const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: message('tide table') };
    const { json } = await crowded.post('/a2a', body);
    expect(json.result.message.parts[1].data.results).toMatchObject([{ path: '/harbour' }]);
    await crowded.close();
  });
});
