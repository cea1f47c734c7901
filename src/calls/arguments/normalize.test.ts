import { describe, expect, it } from 'vitest';
import { fitArguments, otherSpellings, readTarget, repairLine } from './normalize.ts';

const SCHEMA = { type: 'object', properties: { repo: { type: 'string' }, number: { type: 'integer' } } };
const ARGS = { repo: 'a', number: 3 };
const PATH = '/github#get_issue';

const read = (request: unknown, schema: object = SCHEMA) => {
  const target = readTarget(request);
  return { path: target.path, problem: target.problem, ...fitArguments(target, schema as never) };
};

describe('a request in the shape that is documented', () => {
  it('is taken as it is, without repairs', () => {
    expect(read({ path: PATH, arguments: ARGS })).toEqual({
      path: PATH,
      arguments: ARGS,
      problem: null,
      repairs: [],
    });
  });
});

describe('a request in a shape that models send', () => {
  it.each([
    ['other names', { tool_name: PATH, args: ARGS }],
    ['the name of MCP', { name: PATH, arguments: ARGS }],
    ['parameters', { tool: PATH, parameters: ARGS }],
    ['input', { path: PATH, input: ARGS }],
    ['arguments as text', { path: PATH, arguments: JSON.stringify(ARGS) }],
    ['arguments as text in text', { path: PATH, arguments: JSON.stringify(JSON.stringify(ARGS)) }],
    ['args_json', { path: PATH, args_json: JSON.stringify(ARGS) }],
    ['the whole request as text', JSON.stringify({ path: PATH, arguments: ARGS })],
    ['a path inside the arguments', { arguments: { path: PATH, ...ARGS } }],
    ['everything inside the arguments', { arguments: { tool_name: PATH, arguments: ARGS } }],
    ['arguments in arguments', { path: PATH, arguments: { arguments: ARGS } }],
    ['arguments beside the path', { path: PATH, ...ARGS }],
    ['a call of itself', { path: 'call_tool', arguments: { path: PATH, arguments: ARGS } }],
    ['a call of itself as text', { name: 'call_read_tool', args: JSON.stringify({ path: PATH, args: ARGS }) }],
  ])('is understood, and says what to send: %s', (_, request) => {
    const { path, arguments: args, repairs } = read(request);
    expect([path, args]).toEqual([PATH, ARGS]);
    expect(repairs).not.toEqual([]);
  });

  it('keeps an argument that has the name of ours, if the tool declares it', () => {
    const schema = { properties: { input: { type: 'object' }, arguments: { type: 'object' } } };
    expect(read({ path: PATH, input: { a: 1 } }, schema).arguments).toEqual({ input: { a: 1 } });
    expect(read({ path: PATH, arguments: { arguments: { a: 1 } } }, schema).arguments).toEqual({ arguments: { a: 1 } });
  });

  it('ignores what is neither ours nor the tool’s, and says so', () => {
    const { arguments: args, repairs } = read({ path: PATH, arguments: ARGS, mood: 'good', repo: 'other' });
    expect(args).toEqual(ARGS);
    expect(repairs).toEqual(["'mood', 'repo' beside 'path' were ignored"]);
  });

  it('has no arguments without any', () => {
    for (const given of [{}, { arguments: null }, { arguments: '' }, { arguments: {} }]) {
      expect(read({ path: PATH, ...given }).arguments).toEqual({});
    }
  });

  it.each([
    ['no path', { arguments: ARGS }, /'path' is missing/],
    ['no object', [PATH], /must be an object/],
    ['no JSON', `{"repo": "${PATH}`, /not JSON/],
    ['nothing', undefined, /'path' is missing/],
  ])('is refused with an example, and never repeated: %s', (_, request, message) => {
    expect(() => read(request)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENTS', message: expect.stringMatching(message) }),
    );
    expect(() => read(request)).toThrow(expect.not.objectContaining({ message: expect.stringContaining('"repo"') }));
  });
});

describe('a call of a tool that only reads', () => {
  const write = { path: PATH, arguments: ARGS };
  it.each([
    ['beside the path', { ...write, read_only: true }],
    [
      'of the wrapper, which what it wraps cannot lift',
      { path: 'call_tool', read_only: true, arguments: { ...write, read_only: false } },
    ],
    ['of the wrapper by its name', { path: 'call_read_tool', arguments: { ...write, read_only: false } }],
    ['of what is wrapped', { path: 'call_tool', arguments: { ...write, read_only: true } }],
  ])('stays one: %s', (_, request) => {
    expect(readTarget(request).options.read_only).toBe(true);
  });

  it('is no other call, and what is no yes or no stays what it is', () => {
    expect(readTarget(write).options).toEqual({});
    expect(readTarget({ path: 'call_tool', arguments: { ...write, read_only: 'no' } }).options.read_only).toBe('no');
  });
});

it.each([
  ['no JSON', '{"repo": ', /not JSON/],
  ['a list', [1], /must be an object/],
  ['a number', 3, /must be an object/],
])('has the path, and what is wrong with arguments that cannot be read: %s', (_, given, problem) => {
  expect(read({ path: PATH, arguments: given })).toMatchObject({
    path: PATH,
    problem: expect.stringMatching(problem),
    arguments: {},
  });
});

it('reads a path in the spellings of clients', () => {
  const spellings = (path: string) => otherSpellings(path).map(({ server, tool }) => `${server} ${tool}`);
  expect(spellings('github:get_issue')).toEqual(['github get_issue']);
  expect(spellings('mcp__github__get_issue')).toEqual(['github get_issue']);
  expect(spellings('a__b__c')).toEqual(['a b__c', 'a__b c']);
  expect(spellings('/github')).toEqual([]);
});

it('shows the call to send next time, without long values', () => {
  expect(repairLine(['x', 'x'], '/a#b', { n: 1 })).toBe('Repaired: x. Next time: {"path":"/a#b","arguments":{"n":1}}');
  expect(repairLine(['x'], '/a#b', { text: 'y'.repeat(500) })).toBe(
    'Repaired: x. Next time: {"path":"/a#b","arguments":{...}}',
  );
});
