import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { contract } from '../../src/api/contract.ts';
import type { Operation } from '../../src/api/routes/operation.ts';
import { OPERATION_NAMES } from '../../src/api/routes/routes.ts';
import { STANDARD_NAMES, standardsContract } from '../../src/api/routes/standards-contract.ts';
import { parseSettings, SETTINGS } from '../../src/config.ts';
import { MCP_TOOLS } from '../../src/mcp/tools/tools.ts';
import { ENTITY_TYPES, entitySchema, parseEntity } from '../../src/model/entity.ts';
import { DowserError } from '../../src/model/errors/errors.ts';
import { parseWith } from '../../src/model/parse/parse.ts';
import { searchRequestSchema } from '../../src/model/query/query.ts';

/** Words of the schema library. */
const FOREIGN = /invalid|expected|received|too (?:big|small)|unrecognized|not a valid value|of the type/i;

/** Whatever the shape says, and anything else in its place. */
const junk = fc.oneof(
  fc.constantFrom(null, '', ' ', 'x', 0, -1, 1.5, 1e12, true, [], {}, [null], [1], [{}], [['x']], { x: 1 }),
  fc.constantFrom('x'.repeat(3000), Array(6000).fill('x'), Array(6000).fill({}), { name: 1 }, [{ name: '' }]),
  fc.jsonValue(),
);

/** Objects with some of the fields of a schema, filled with anything. */
function near(fields: readonly string[]): fc.Arbitrary<unknown> {
  const some = fc.dictionary(fc.constantFrom(...fields, 'other'), junk, { maxKeys: 3 });
  return fc.oneof({ weight: 9, arbitrary: some }, { weight: 1, arbitrary: junk });
}

function fieldsOf(schema: z.ZodType): readonly string[] {
  return 'shape' in schema ? Object.keys(schema.shape as object) : [];
}

function check(parse: () => unknown, quoted: unknown): void {
  try {
    parse();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(DowserError);
    const { message } = thrown as DowserError;
    // What was sent may have any words.
    if (!FOREIGN.test(JSON.stringify(quoted) ?? '')) expect(message).not.toMatch(FOREIGN);
    expect(message).toMatch(/\.$/);
  }
}

const operations: readonly (readonly [string, z.ZodType])[] = [
  ...OPERATION_NAMES.map((name) => [name, contract[name] as Operation] as const),
  ...STANDARD_NAMES.map((name) => [name, standardsContract[name] as Partial<Operation>] as const),
].flatMap(([name, { params, query, body }]) =>
  Object.entries({ params, query, body }).flatMap(([part, schema]) =>
    schema === undefined ? [] : [[`${part} of ${name}`, schema] as const],
  ),
);
const tools = MCP_TOOLS.map(({ name, input }) => [`arguments of ${name}`, input] as const);

describe('a refusal says in our own words what is wanted', () => {
  it.each([...operations, ...tools, ['search', searchRequestSchema] as const, ['any entity', entitySchema] as const])(
    'of the %s',
    (_, schema) => {
      fc.assert(
        fc.property(near(fieldsOf(schema)), (input) => check(() => parseWith(schema, input, 'request'), input)),
        { numRuns: 60 },
      );
    },
  );

  it.each(ENTITY_TYPES)('of a %s', (type) => {
    const member = entitySchema.options.find(({ shape }) => shape.type.value === type)!;
    const base = { type, path: '/x', name: 'x', content: 'x' };
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(member.shape)), junk, { maxKeys: 2 }), (fields) =>
        check(() => parseEntity({ ...base, ...fields, type }), fields),
      ),
      { numRuns: 200 },
    );
  });

  it('of the settings', () => {
    fc.assert(
      fc.property(near(SETTINGS.map(({ name }) => name)), (input) =>
        check(() => parseSettings(input as object), input),
      ),
      { numRuns: 200 },
    );
  });
});
