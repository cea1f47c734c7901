import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FoundTool, MAX_TOOL_NAME_CHARS, toolReferenceName, toToolReferences } from './tool-references.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

const ofServer = (server_path: string, tool_name: string): FoundTool => ({
  server_path,
  tool_name,
  path: `${server_path}#${tool_name}`,
  description: 'Says something.',
  inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
});
const alone = (path: string, tool_name: string, server_path = ''): FoundTool => ({
  ...ofServer(server_path, tool_name),
  path,
});

describe('toolReferenceName', () => {
  it.each([
    ['/context7', 'get-docs', 'context7__get-docs'],
    ['/github', 'create_issue', 'github__create_issue'],
  ])('of %s and %s is %s', (server, tool, name) => {
    expect(toolReferenceName(ofServer(server, tool))).toBe(name);
  });

  it('of a standalone tool is its own name', () => {
    expect(toolReferenceName(alone('get_weather', 'get_weather'))).toBe('get_weather');
  });

  it.each([
    [
      'a namespaced path',
      ofServer('/io.github.acme/weather', 'get_forecast'),
      /^io_github_acme_weather__get_forecast-/,
    ],
    ['another script', ofServer('/погода', '天気'), /^tool__tool-/],
    ['a doubled underscore', ofServer('/a__b', 'c'), /^a_b__c-/],
    ['a path without its slash', ofServer('context7', 'x'), /^context7__x-/],
    ['a name that looks shortened', ofServer('/a', 'b-0123456789'), /^a__b-0123456789-/],
  ])('gives %s a checksum', (_, tool, start) => {
    expect(toolReferenceName(tool)).toMatch(start);
    expect(toolReferenceName(tool)).toMatch(/-[0-9a-f]{10}$/);
  });

  it('cuts the server before the tool when both are too long for a name', () => {
    const name = toolReferenceName(ofServer(`/${'s'.repeat(100)}`, 'create_pull_request'));
    expect(name).toHaveLength(MAX_TOOL_NAME_CHARS);
    expect(name).toContain('__create_pull_request-');
    expect(toolReferenceName(ofServer('/s', 't'.repeat(200)))).toMatch(/^t{53}-[0-9a-f]{10}$/);
  });

  it('is valid for every path and name, and unique', () => {
    const part = fc.oneof(
      fc.stringMatching(/^[ab_-]{1,4}$/),
      fc.string({ minLength: 1, maxLength: 90 }),
      fc.constantFrom('a', 'a_', '_a', 'a__b', 'a#b', 'a/b', '/a'),
    );
    const tool = fc.oneof(
      fc.tuple(part, part).map(([server, name]) => ofServer(`/${server}`, name)),
      fc.tuple(part, part).map(([server, name]) => ofServer(server, name)),
      part.map((name) => alone(name, name)),
      fc.tuple(part, part).map(([path, name]) => alone(path, name)),
    );
    const identity = (found: FoundTool) =>
      JSON.stringify([found.path === `${found.server_path}#${found.tool_name}`, found.server_path, found.path]);
    fc.assert(
      fc.property(fc.array(tool, { minLength: 2, maxLength: 12 }), (tools) => {
        const names = new Map<string, string>();
        for (const found of tools) {
          const name = toolReferenceName(found);
          expect(name).toMatch(NAME);
          expect(names.get(name) ?? identity(found)).toBe(identity(found));
          names.set(name, identity(found));
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('toToolReferences', () => {
  const tools = [
    ofServer('/mail', 'send'),
    { ...ofServer('/mail', 'list'), description: null, inputSchema: null },
    ofServer('/mail', 'send'),
    { ...ofServer('/chat', 'post'), inputSchema: { properties: {} } },
  ];

  it("has the format of Anthropic's tool search, with the definitions for the request", () => {
    expect(toToolReferences(tools.slice(0, 2), 'anthropic')).toEqual({
      format: 'anthropic',
      content: {
        type: 'tool_search_tool_search_result',
        tool_references: [
          { type: 'tool_reference', tool_name: 'mail__send' },
          { type: 'tool_reference', tool_name: 'mail__list' },
        ],
      },
      definitions: [
        {
          name: 'mail__send',
          description: 'Says something.',
          input_schema: { type: 'object', properties: { q: { type: 'string' } } },
          defer_loading: true,
        },
        {
          name: 'mail__list',
          description: '',
          input_schema: { type: 'object', properties: {} },
          defer_loading: true,
        },
      ],
      origins: [
        { name: 'mail__send', server_path: '/mail', tool_name: 'send', path: '/mail#send' },
        { name: 'mail__list', server_path: '/mail', tool_name: 'list', path: '/mail#list' },
      ],
    });
  });

  it("has the format of OpenAI's client tool search", () => {
    const { content } = toToolReferences([tools[0]!], 'openai');
    expect(content).toEqual({
      type: 'tool_search_output',
      execution: 'client',
      status: 'completed',
      tools: [
        {
          type: 'function',
          name: 'mail__send',
          description: 'Says something.',
          parameters: { type: 'object', properties: { q: { type: 'string' } } },
          strict: false,
          defer_loading: true,
        },
      ],
    });
  });

  it('names a tool once, keeps the order, and makes every schema an object', () => {
    const { content } = toToolReferences(tools, 'openai');
    expect(content.tools.map(({ name }) => name)).toEqual(['mail__send', 'mail__list', 'chat__post']);
    expect(content.tools.map(({ parameters }) => parameters.type)).toEqual(['object', 'object', 'object']);
  });

  it('groups the tools of a server in a namespace, and leaves the others alone', () => {
    const { content, origins } = toToolReferences(
      [ofServer('/mail', 'send'), alone('time', 'time'), ofServer('/chat', 'post'), ofServer('/mail', 'list')],
      'openai-namespaces',
    );
    const names = content.tools.map((tool) =>
      tool.type === 'namespace' ? [tool.name, tool.tools.map(({ name }) => name)] : tool.name,
    );
    expect(names).toEqual([['mail', ['send', 'list']], 'time', ['chat', ['post']]]);
    expect(origins.map(({ name, path }) => [name, path])).toEqual([
      ['mail.send', '/mail#send'],
      ['time', 'time'],
      ['chat.post', '/chat#post'],
      ['mail.list', '/mail#list'],
    ]);
  });

  it('has valid names in a namespace, whatever the paths are', () => {
    const { content } = toToolReferences(
      [ofServer('/io.github.acme/weather', 'get forecast'), ofServer('/io_github_acme/weather', 'get_forecast')],
      'openai-namespaces',
    );
    const names = content.tools.flatMap((tool) =>
      tool.type === 'namespace' ? [tool.name, ...tool.tools.map(({ name }) => name)] : [],
    );
    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name).toMatch(NAME);
  });

  it('is empty without results', () => {
    expect(toToolReferences([], 'anthropic').content.tool_references).toEqual([]);
    expect(toToolReferences([], 'openai').content.tools).toEqual([]);
  });
});
