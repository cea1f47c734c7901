import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import { A2AClient, ClientFactory as OlderClientFactory } from 'a2a-sdk-0.3/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { standardsServer, type TestServer } from '../support/standards-server.ts';

/** The published SDKs of both versions, against a real server. */
const AGENTS = [
  { type: 'mcp_server', path: '/clock', name: 'Clock', description: 'Tells the time.' },
  {
    type: 'a2a_agent',
    path: '/travel',
    name: 'Travel',
    description: 'Books journeys.',
    url: 'https://travel.example/a2a',
  },
];
let site: TestServer;
beforeAll(async () => {
  site = await standardsServer(AGENTS);
});
afterAll(() => site.close());

const LONG = `tells the time ${'and more words '.repeat(60)}`.trim();
const question = (text: string) => ({ messageId: 'm1', role: 1, parts: [{ content: { $case: 'text', value: text } }] });
const olderQuestion = (text: string) => ({
  message: {
    kind: 'message' as const,
    messageId: 'm1',
    role: 'user' as const,
    parts: [{ kind: 'text' as const, text }],
  },
});

describe('the SDK of A2A 1.0', () => {
  const connect = () => new ClientFactory().createFromUrl(site.url);
  const ask = async (text: string) => {
    const client = await connect();
    return client.sendMessage({ message: question(text) } as unknown as Parameters<typeof client.sendMessage>[0]);
  };

  it('gets an answer', async () => {
    expect(JSON.stringify(await ask('tells the time'))).toContain('1. Clock (mcp_server /clock): Tells the time.');
  });

  it('asks with more than 512 characters', async () => {
    expect(LONG.length).toBeGreaterThan(512);
    expect(JSON.stringify(await ask(LONG))).toContain('Clock');
  });

  it('is told what the agent does not do', async () => {
    const client = await connect();
    await expect(client.getTask({ id: 't', tenant: '' } as never)).rejects.toThrow(/no tasks/);
  });

  it('lists no tasks', async () => {
    const client = await connect();
    const { tasks } = await client.listTasks({ tenant: '' } as never);
    expect(tasks).toEqual([]);
  });

  it('also works through its layer for 0.3, with the same card', async () => {
    const legacyCompat = { enabled: true };
    const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ legacyCompat })],
      cardResolver: new DefaultAgentCardResolver({ legacyCompat }),
    });
    const client = await new ClientFactory(options).createFromUrl(site.url);
    const answer = await client.sendMessage({ message: question('tells the time') } as never);
    expect(JSON.stringify(answer)).toContain('Clock');
  });
});

describe('the SDK of A2A 0.3', () => {
  it('gets an answer from the first client', async () => {
    const client = await A2AClient.fromCardUrl(`${site.url}/.well-known/agent-card.json`);
    const answer = await client.sendMessage(olderQuestion('tells the time'));
    expect(JSON.stringify(answer)).toContain('1. Clock (mcp_server /clock): Tells the time.');
  });

  it('gets an answer from the client of the factory, also to more than 512 characters', async () => {
    const client = await new OlderClientFactory().createFromUrl(site.url);
    expect(JSON.stringify(await client.sendMessage(olderQuestion(LONG)))).toContain('Clock');
    await expect(client.getTask({ id: 't' })).rejects.toThrow('Task not found');
  });

  it('reads the served card of an agent of 0.3', async () => {
    const agent = createServer((request, response) => {
      let text = '';
      request.on('data', (part) => {
        text += part;
      });
      request.on('end', () => {
        const { id, method } = JSON.parse(text);
        const result = { kind: 'message', messageId: 'm', role: 'agent', parts: [{ kind: 'text', text: method }] };
        response.setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
    });
    await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/`;
    await site.registry.put({ type: 'a2a_agent', path: '/echo', name: 'Echo', description: 'Echoes.', url });
    const artifact = `/ard/artifacts/${encodeURIComponent('urn:air:127.0.0.1:agent:echo')}`;
    const client = await A2AClient.fromCardUrl(`${site.url}${artifact}`);
    expect(JSON.stringify(await client.sendMessage(olderQuestion('x')))).toContain('message/send');
    agent.close();
  });
});

describe('a registry whose default preset takes 512 characters', () => {
  it('answers longer messages and ARD searches', async () => {
    const presets: unknown[] = [];
    const other = await standardsServer(AGENTS, {}, (registry) => ({
      ...registry,
      as: (caller) => {
        const scoped = registry.as(caller);
        return {
          ...scoped,
          search(request) {
            presets.push(request.preset);
            return scoped.search({ preset: 'registry', ...request });
          },
        };
      },
    }));
    const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: { parts: [{ text: LONG }] } } };
    expect((await other.post('/a2a', body)).json.result.message.parts[0].text).toContain('Clock');
    const { status, json } = await other.post('/ard/search', { query: { text: LONG } });
    expect([status, json.results[0]?.displayName]).toEqual([200, 'Clock']);
    expect(presets).toEqual(['hybrid', 'hybrid']);
    await other.close();
  });
});
