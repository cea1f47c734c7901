import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutSchemas } from './cut-schemas.ts';

/** What the obvious way gives: every object under the key, outermost ones only, in the order of the text. */
function cutByWalking(value: unknown, schemas: unknown[]): unknown {
  if (Array.isArray(value)) return value.map((part) => cutByWalking(part, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const cut: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) {
    const isSchema = key === 'inputSchema' && typeof part === 'object' && part !== null && !Array.isArray(part);
    const next = isSchema ? schemas.push(part) - 1 : cutByWalking(part, schemas);
    Object.defineProperty(cut, key, { value: next, enumerable: true, configurable: true, writable: true });
  }
  return cut;
}

function expectCut(value: unknown): void {
  const { text, schemas } = cutSchemas(JSON.stringify(value));
  const expected: unknown[] = [];
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(cutByWalking(value, expected))));
  expect(schemas.map((schema) => JSON.parse(schema))).toEqual(JSON.parse(JSON.stringify(expected)));
}

it('cuts out what a tool takes, and nothing that only looks like it', () => {
  expectCut({ tools: [{ name: 'a', inputSchema: { type: 'object', properties: { x: {} } } }, { name: 'b' }] });
  expectCut({
    name: 'says "inputSchema":{"x":1} and \\"inputSchema\\":{',
    inputSchema: { d: 'a } " \\ { b', e: '\\' },
  });
  expectCut({ inputSchema: null, tools: [{ inputSchema: [] }, { inputSchema: 5 }, { inputSchema: {} }] });
  expectCut({ inputSchema: { inputSchema: { inputSchema: {} } }, a: { inputSchema: 'x' } });
  expectCut({ 'x"inputSchema': { a: 1 }, '\\"inputSchema': { b: 2 }, '\\': { inputSchema: { c: 3 } } });
  expectCut('inputSchema');
});

it('agrees with the obvious way on anything', () => {
  const awkward = fc.constantFrom(
    'inputSchema',
    'x"inputSchema',
    '\\"inputSchema',
    '"inputSchema":',
    '"inputSchema":{',
    '{',
    '}',
    '"',
    '\\',
    '\\"',
    '',
  );
  const key = fc.oneof({ weight: 3, arbitrary: fc.constant('inputSchema') }, awkward, fc.string({ maxLength: 4 }));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      awkward,
      fc.string({ maxLength: 6 }),
      fc.integer(),
      fc.constant(null),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('value'), { maxLength: 4 }),
    object: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  }));
  fc.assert(fc.property(value, expectCut), { numRuns: 2000 });
});

it('ends on a text that is none', () => {
  for (const text of ['{"inputSchema":{', '{"inputSchema":{"', '{"inputSchema":{"a\\"', '"inputSchema":']) {
    expect(() => cutSchemas(text)).not.toThrow();
  }
});
