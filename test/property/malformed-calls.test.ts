import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { createToolCaller } from '../../src/calls/create-tool-caller.ts';
import { UNRESTRICTED } from '../../src/model/caller/caller.ts';
import type { DowserError } from '../../src/model/errors/errors.ts';
import { fakeUpstreams } from '../support/fake-upstreams.ts';

const READ = { annotations: { readOnlyHint: true } };

interface Property {
  readonly schema: object;
  readonly valid: unknown;
  /** What its schema refuses. */
  readonly invalid: readonly unknown[];
}
const string: Property = { schema: { type: 'string' }, valid: 'some text', invalid: [3, null, ['x'], {}] };
const PROPERTIES: readonly Property[] = [
  string,
  { schema: { type: 'integer', minimum: 1, maximum: 50 }, valid: 7, invalid: [0, 51, 1.5, 'seven'] },
  { schema: { enum: ['open', 'closed'] }, valid: 'open', invalid: ['OPEN', 1] },
  { schema: { type: 'boolean' }, valid: true, invalid: ['true', 1] },
  {
    schema: { type: 'array', items: { type: 'string' }, minItems: 1 },
    valid: ['a', 'b'],
    invalid: [[], [1], 'a'],
  },
  {
    schema: { type: 'object', properties: { from: { type: 'string' }, to: { type: 'number' } }, required: ['from'] },
    valid: { from: 'x', to: 2 },
    invalid: [{ to: 2 }, { from: 1 }, 'x'],
  },
  { schema: { anyOf: [{ type: 'string', minLength: 3 }, { type: 'number' }] }, valid: 'abc', invalid: ['ab', true] },
  { schema: { $ref: '#/$defs/day' }, valid: '2026-03-01', invalid: ['tomorrow', 3] },
];
const $defs = { day: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2026-03-01'] } };
/** The last ones are also names of ours. */
const NAMES: readonly (readonly [string, string])[] = [
  ['repo', 'title'],
  ['query', 'limit'],
  ['file', 'content'],
  ['id', 'options'],
  ['path', 'text'],
  ['name', 'tags'],
  ['input', 'mode'],
  ['arguments', 'when'],
];

/** 64 tools: two arguments each, the first one required, every second without others. */
const TOOLS = NAMES.flatMap((names, row) =>
  PROPERTIES.map((first, column) => {
    const second = PROPERTIES[(column + row + 1) % PROPERTIES.length]!;
    const [a, b] = names;
    return {
      name: `tool_${row}_${column}`,
      ...READ,
      inputSchema: {
        type: 'object',
        properties: { [a]: first.schema, [b]: second.schema },
        required: [a],
        ...(column % 2 === 0 ? { additionalProperties: false } : {}),
        $defs,
      },
      names,
      properties: [first, second] as const,
      args: { [a]: first.valid, [b]: second.valid },
      hasOurNames: row >= 4,
    };
  }),
);
const SHAPES: Readonly<Record<string, (path: string, args: object) => unknown>> = {
  'other names': (path, args) => ({ tool_name: path, args }),
  'the name of MCP': (name, args) => ({ name, arguments: args }),
  parameters: (tool, parameters) => ({ tool, parameters }),
  input: (path, input) => ({ path, input }),
  'arguments as text': (path, args) => ({ path, arguments: JSON.stringify(args) }),
  args_json: (path, args) => ({ path, args_json: JSON.stringify(args) }),
  'text in text': (path, args) => ({ path, arguments: JSON.stringify(JSON.stringify(args)) }),
  'a path inside the arguments': (path, args) => ({ arguments: { ...args, path } }),
  'arguments in arguments': (path, args) => ({ path, arguments: { arguments: args } }),
  'arguments beside the path': (path, args) => ({ ...args, path }),
  'a call of itself': (path, args) => ({ path: 'call_tool', arguments: { path, arguments: args } }),
  'the spelling of a client': (path, args) => ({
    path: `mcp__${path.slice(1).replace('#', '__')}`,
    arguments: args,
  }),
};

function caller() {
  const fake = fakeUpstreams({ '/sixty': TOOLS });
  const by = { caller: UNRESTRICTED, view: fake.view };
  return { ...fake, by, tools: createToolCaller({ ...fake.parts, limit: 'read', rules: () => ({}) }) };
}
const ajv = new Ajv2020({ strict: false });
const fits = (schema: object, args: unknown): boolean => ajv.validate(schema, args) as boolean;

describe('12 malformed shapes of calls of 64 tools', () => {
  it.each(Object.entries(SHAPES))('are repaired, or refused with an example that fits: %s', async (_, shape) => {
    const { tools, executed, by } = caller();
    expect(TOOLS).toHaveLength(64);
    let repaired = 0;
    for (const { name, args, inputSchema, hasOurNames } of TOOLS) {
      executed.length = 0;
      const answer = await tools.call(shape(`/sixty#${name}`, args), by).catch((error: DowserError) => error);
      if (answer instanceof Error) {
        expect([name, answer.code]).toEqual([name, 'INVALID_ARGUMENTS']);
        const { example } = answer.details ?? {};
        expect([name, answer.message, example]).toEqual([name, answer.message, expect.any(Object)]);
        const given = 'path' in example! && 'arguments' in example ? example.arguments : example;
        // Without a tool that was named, the example is of another one.
        if (answer.field !== 'path') expect(fits(inputSchema, given), name).toBe(true);
        expect(executed).toEqual([]);
        continue;
      }
      repaired++;
      expect(answer.call.repairs).toHaveLength(1);
      const [{ tool, arguments: sent }] = executed as [(typeof executed)[0]];
      expect([tool, fits(inputSchema, sent)]).toEqual([name, true]);
      if (!hasOurNames) expect(sent).toEqual(args);
    }
    // Only names that a tool shares with us can make it unclear what was meant.
    expect(repaired).toBeGreaterThanOrEqual(TOOLS.filter(({ hasOurNames }) => !hasOurNames).length);
    await tools.close();
  });
});

it('500 and more violations of schemas never reach the server, and each gets an example that fits', async () => {
  const { tools, executed, by } = caller();
  let violations = 0;
  for (const { name, names, properties, args, inputSchema } of TOOLS) {
    const [a, b] = names;
    const { [a]: _, ...missing } = args;
    const wrong: unknown[] = [
      missing,
      ...properties[0].invalid.map((value) => ({ ...args, [a]: value })),
      ...properties[1].invalid.map((value) => ({ ...args, [b]: value })),
      ...('additionalProperties' in inputSchema ? [{ ...args, unknown: 1 }] : []),
      { [a]: { nested: { [b]: [] } }, [b]: undefined },
    ];
    for (const given of wrong.filter((one) => !fits(inputSchema, JSON.parse(JSON.stringify(one))))) {
      violations++;
      const refused = await tools
        .call({ path: `/sixty#${name}`, arguments: given }, by)
        .catch((error: DowserError) => error);
      expect([name, given, refused]).toMatchObject([name, given, { code: 'INVALID_ARGUMENTS' }]);
      expect(fits(inputSchema, (refused as DowserError).details!.example), name).toBe(true);
    }
  }
  expect(violations).toBeGreaterThanOrEqual(500);
  expect(executed).toEqual([]);
  await tools.close();
});
