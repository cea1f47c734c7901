import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FoundTool, toToolReferences } from '../../src/api/tool-search/tool-references.ts';

const FOUND: readonly FoundTool[] = [
  {
    server_path: '/weather',
    tool_name: 'forecast',
    path: '/weather#forecast',
    description: 'The weather of tomorrow',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
  { server_path: '', tool_name: 'lone', path: 'lone', description: null, inputSchema: null },
];

let server: Server;
let baseURL: string;
/** What the clients of the providers sent. */
const bodies: unknown[] = [];
beforeEach(async () => {
  bodies.length = 0;
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    bodies.push(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"id": "x", "output": [], "content": []}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** These compile only while the answers of Dowser have the types of the providers' own clients. */
describe('the answers of the tool search', () => {
  it('are what the client of Anthropic sends', async () => {
    const { content, definitions } = toToolReferences(FOUND, 'anthropic');
    const client = new Anthropic({ apiKey: 'of-the-tests', baseURL, maxRetries: 0 });
    const tools = definitions.map(({ input_schema, ...tool }) => ({
      ...tool,
      input_schema: { ...input_schema, type: 'object' as const },
    }));
    const searchResult: Anthropic.ToolSearchToolSearchResultBlockParam = content;
    await client.messages.create({
      model: 'any',
      max_tokens: 10,
      tools,
      messages: [
        { role: 'user', content: 'What is the weather?' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'find', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: searchResult.tool_references }] },
      ],
    });
    expect(bodies).toMatchObject([
      {
        tools: [
          { name: 'weather__forecast', defer_loading: true, input_schema: FOUND[0]!.inputSchema },
          { name: 'lone' },
        ],
        messages: [
          {},
          {},
          {
            content: [{ content: [{ type: 'tool_reference', tool_name: 'weather__forecast' }, { tool_name: 'lone' }] }],
          },
        ],
      },
    ]);
  });

  it.each(['openai', 'openai-namespaces'] as const)('are what the client of OpenAI sends: %s', async (format) => {
    const { content } =
      format === 'openai' ? toToolReferences(FOUND, 'openai') : toToolReferences(FOUND, 'openai-namespaces');
    const item: OpenAI.Responses.ResponseToolSearchOutputItemParam = { ...content, call_id: 'call_1' };
    const client = new OpenAI({ apiKey: 'of-the-tests', baseURL, maxRetries: 0 });
    await client.responses.create({ model: 'any', input: [{ role: 'user', content: 'What is the weather?' }, item] });
    const tool = { type: 'function', strict: false, defer_loading: true, parameters: FOUND[0]!.inputSchema };
    expect(bodies).toMatchObject([
      {
        input: [
          {},
          {
            type: 'tool_search_output',
            call_id: 'call_1',
            execution: 'client',
            status: 'completed',
            tools: [
              format === 'openai'
                ? { ...tool, name: 'weather__forecast' }
                : { type: 'namespace', tools: [{ ...tool, name: 'forecast' }] },
              { type: 'function', name: 'lone' },
            ],
          },
        ],
      },
    ]);
  });
});
