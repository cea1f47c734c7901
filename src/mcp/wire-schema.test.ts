import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ListStyle, toListedTool } from './create-mcp-server.ts';
import type { McpTool } from './tools/mcp-tool.ts';
import { AGENT_TOOLS, MCP_TOOLS, REGISTRY_TOOLS } from './tools/tools.ts';
import { inputSchemaOnWire, outputSchemaOnWire } from './wire-schema.ts';

describe('the schemas of the tools', () => {
  const charsOf = (tools: readonly McpTool[], style: ListStyle) =>
    JSON.stringify(tools.map((tool) => toListedTool(tool, '', style))).length;

  it('are short: the registry’s tools with a catalog summary have under 11,000 characters', () => {
    expect(charsOf(REGISTRY_TOOLS, 'full')).toBeLessThan(10_600);
  });

  // Counted with the tokenizer o200k, the list with a summary has 960 tokens in 4,000 characters: 1,500 tokens are over 6,000.
  it('are shorter still for an agent: 4,400 characters, and 500 for a catalog summary', () => {
    expect(charsOf(AGENT_TOOLS, 'lean')).toBeLessThan(4400);
  });

  it('leave only optional arguments out of a lean list, and each that they name', () => {
    const hidden = MCP_TOOLS.flatMap(({ input, rareArguments = [] }) => rareArguments.map((name) => input.shape[name]));
    expect(hidden.length).toBeGreaterThan(5);
    for (const argument of hidden) expect(argument?.safeParse(undefined).success).toBe(true);
  });

  it.each(MCP_TOOLS.map((tool) => [tool.name, tool] as const))('name every field of %s', (_, { input, output }) => {
    const fields = (schema: Readonly<Record<string, unknown>>) => Object.keys(schema.properties as object);
    expect(fields(inputSchemaOnWire(input))).toEqual(Object.keys(input.shape));
    expect(fields(outputSchemaOnWire(output))).toEqual(Object.keys(output.shape));
  });
});

describe('inputSchemaOnWire', () => {
  it('keeps what a caller needs', () => {
    const schema = z.strictObject({
      query: z.string().min(1).max(512).describe('In words.'),
      k: z.int().min(1).max(50).default(5),
      kinds: z
        .array(z.enum(['a', 'b']))
        .max(2)
        .optional(),
    });
    expect(inputSchemaOnWire(schema)).toEqual({
      type: 'object',
      properties: {
        query: { type: 'string', description: 'In words.' },
        k: { type: 'integer', minimum: 1, maximum: 50, default: 5 },
        kinds: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      },
      required: ['query'],
    });
  });

  it('keeps properties with the name of a keyword', () => {
    const schema = z.object({ maxLength: z.string(), items: z.object({ minItems: z.int().min(0).max(9) }) });
    expect(inputSchemaOnWire(schema)).toMatchObject({
      properties: { maxLength: {}, items: { properties: { minItems: { minimum: 0, maximum: 9 } } } },
      required: ['maxLength', 'items'],
    });
  });
});

describe('outputSchemaOnWire', () => {
  const part = z.object({ path: z.string().describe('For later.'), url: z.string().exactOptional() });
  const schema = z.object({
    status: z.enum(['success', 'failed']),
    found: z.array(part).describe('Best first.'),
    nearest: z.array(part).exactOptional(),
    owner: z.object({ name: z.string() }).exactOptional(),
    count: z.int(),
  });

  it('has fields with type and description, and inner fields in words, each once', () => {
    expect(outputSchemaOnWire(schema)).toEqual({
      type: 'object',
      properties: {
        status: { type: 'string' },
        found: {
          type: 'array',
          description: 'Best first.',
          items: { type: 'object', description: 'path (For later.), url?' },
        },
        nearest: { type: 'array', items: { type: 'object', description: 'As above.' } },
        owner: { type: 'object', description: 'name' },
        count: { type: 'integer' },
      },
    });
  });

  it('accepts every answer that the complete schema accepts', () => {
    const validate = new Ajv2020().compile(outputSchemaOnWire(schema));
    const answer = { status: 'success', found: [{ path: '/a' }, { path: '/b', url: 'https://b.test' }], count: 2 };
    expect(schema.safeParse(answer).success).toBe(true);
    expect(validate(answer)).toBe(true);
    expect(validate({ ...answer, count: 'two' })).toBe(false);
  });
});
