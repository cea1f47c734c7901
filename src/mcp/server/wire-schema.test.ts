import { expect, it } from 'vitest';
import { z } from 'zod';
import { inputSchemaOnWire, outputSchemaOnWire } from './wire-schema.ts';

const schema = z.object({ query: z.string(), k: z.int().optional() });

it('a schema is written once for all servers, which are made for each request', () => {
  const [first, second] = [inputSchemaOnWire(schema), inputSchemaOnWire(schema)];
  expect((first.properties as { query: object }).query).toBe((second.properties as { query: object }).query);
  expect(outputSchemaOnWire(schema)).toBe(outputSchemaOnWire(schema));
});

it('a list without some arguments hides them in that list only', () => {
  expect(inputSchemaOnWire(schema, ['k']).properties).toEqual({ query: { type: 'string' } });
  expect(Object.keys(inputSchemaOnWire(schema).properties as object)).toEqual(['query', 'k']);
});
