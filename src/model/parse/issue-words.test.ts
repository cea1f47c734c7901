import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DowserError } from '../errors/errors.ts';
import { parseWith, showValue } from './parse.ts';

function refusal(schema: z.ZodType, value: unknown): DowserError {
  try {
    parseWith(z.object({ field: schema }), { field: value }, 'request');
  } catch (thrown) {
    if (thrown instanceof DowserError) return thrown;
  }
  throw new Error('It was not refused.');
}

const form = (format: 'a' | 'b') => z.object({ format: z.literal(format) });

describe('what is wanted of a value', () => {
  it.each<readonly [string, z.ZodType, unknown]>([
    ['is 5: must be text', z.string(), 5],
    ['is missing: must be text', z.string(), undefined],
    ['is null: must be text', z.string(), null],
    ['is "x": must be a number', z.number(), 'x'],
    ['must be a number', z.number(), Number.NaN],
    ['is 1.5: must be a whole number', z.int(), 1.5],
    ['is "yes": must be true or false', z.boolean(), 'yes'],
    ['is {}: must be a list', z.array(z.string()), {}],
    ['is []: must be an object', z.object({}), []],
    ['is "x": must be an object', z.record(z.string(), z.unknown()), 'x'],
    ['is 1: must be null', z.null(), 1],
    ['is 1: must be a date', z.date(), 1],
    ['is 1: must be of the type bigint', z.bigint(), 1],
    ['is "xyz": must have at most 2 characters', z.string().max(2), 'xyz'],
    ['is "x": must have at least 2 characters', z.string().min(2), 'x'],
    ['is "": must not be empty', z.string().min(1), ''],
    ['is "x": must have exactly 2 characters', z.string().length(2), 'x'],
    ['is [1,2]: must have at most 1 item', z.array(z.int()).max(1), [1, 2]],
    ['is []: must not be empty', z.array(z.int()).min(1), []],
    ['is 6: must be at most 5', z.number().max(5), 6],
    ['is -1: must be at least 0', z.number().min(0), -1],
    ['is 0: must be above 0', z.number().gt(0), 0],
    ['is 5: must be below 5', z.number().lt(5), 5],
    ['is 6: must be a multiple of 5', z.number().multipleOf(5), 6],
    ['is "c": must be one of a, b', z.enum(['a', 'b']), 'c'],
    ['is 1: must be true', z.literal(true), 1],
    ['is "x": must be an address such as https://example.com', z.url(), 'x'],
    ['is "x": must be a date and time such as 2026-01-31T12:00:00Z', z.iso.datetime(), 'x'],
    ['is "x": must be text in another format', z.string().regex(/^a$/), 'x'],
    ['is "x": must be a valid email', z.email(), 'x'],
    ['is true: must be text or a number', z.union([z.string(), z.number()]), true],
    ['is "x": must have at least 2 characters', z.union([z.string().min(2), z.number()]), 'x'],
    ['is {}: wrong structure', z.union([z.object({ a: z.int() }), z.object({ b: z.int() })]), {}],
    ['is 1: not a valid value', z.custom(() => false), 1],
    ['is "x": not a valid value', z.string().refine(() => false), 'x'],
    ['is 6: must be small', z.int('must be small').max(5, 'must be small'), 6],
  ])('%s', (words, schema, value) => {
    const error = refusal(schema, value);
    expect(error.message).toContain(`${words}.`);
    expect(error).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'field',
      message: expect.stringMatching(/^'field' of /),
    });
  });

  it('names the field that does not exist, and not all that is around it', () => {
    const error = refusal(z.strictObject({ a: z.int().optional() }), { b: 1, c: 2 });
    const message = "'field.b' of the request is 1: unknown field (1 more problem).";
    expect([error.message, error.field]).toEqual([message, 'field.b']);
  });

  it('says which field was probably meant by one that does not exist', () => {
    const schema = z.strictObject({ k: z.int().optional(), kinds: z.string().optional() });
    expect(refusal(schema, { limit: 1 }).message).toContain("unknown field (did you mean 'k'?).");
    expect(refusal(schema, { limit: 1, k: 1 }).message).toContain('unknown field.');
    expect(refusal(schema, { knids: 1, zzz: 1 }).message).toContain(
      "unknown field (did you mean 'kinds'?) (1 more problem).",
    );
  });

  it.each<readonly [z.ZodType, unknown, object]>([
    [z.number().max(5), 6, { value: '6', expected: 'must be at most 5', max: 5 }],
    [z.string().min(2), 'x', { value: '"x"', expected: 'must have at least 2 characters', min: 2 }],
    [z.enum(['a', 'b']), 'c', { value: '"c"', expected: 'must be one of a, b', allowed: ['a', 'b'] }],
    [z.string(), undefined, { expected: 'must be text' }],
    [z.string(), 'x'.repeat(200).split(''), { value: `${'["x",'.slice(0, 1)}${'"x",'.repeat(19)}...` }],
    [
      z.strictObject({ kinds: z.string().optional() }),
      { knids: 1, zzz: 1 },
      { value: '1', did_you_mean: 'kinds', more_problems: 1 },
    ],
  ])('gives programs the facts of %o and %j', (schema, value, facts) => {
    expect(refusal(schema, value).details).toEqual({ subject: 'request', expected: expect.any(String), ...facts });
  });

  it('names the kinds that a form can be of', () => {
    const error = refusal(z.discriminatedUnion('format', [form('a'), form('b')]), { format: 'c' });
    expect(error.message).toMatch(/^'field\.format' of the request is "c": must be one of a, b\.$/);
  });

  it('explains a missing field by the one that was mistyped for it', () => {
    const error = refusal(z.strictObject({ query: z.string(), k: z.number() }), { q: 'x', n: 3 });
    expect(error.message).toBe(
      "'field.q' of the request is \"x\": unknown field (did you mean 'query'?) (3 more problems).",
    );
    expect(error.details?.did_you_mean).toBe('query');
    expect(refusal(z.strictObject({ query: z.string() }), { zzz: 'x' }).message).toContain(
      "query' of the request is missing",
    );
  });

  it('counts further problems, and says that nothing at all was sent', () => {
    const schema = z.object({ a: z.string(), b: z.string(), c: z.string() });
    expect(() => parseWith(schema, {}, 'request')).toThrow(
      "'a' of the request is missing: must be text (2 more problems).",
    );
    expect(() => parseWith(schema, undefined, 'request')).toThrow('The request is missing: must be an object.');
  });
});

describe('a wrong request', () => {
  it('has a hint for those who use the library, which is not its own', () => {
    const { hint, ownHint } = refusal(z.string(), 1);
    expect([hint, ownHint]).toEqual([expect.stringContaining('SearchRequestInput'), undefined]);
    expect(new DowserError('INVALID_REQUEST', 'x', { hint: 'Do that.' })).toMatchObject({ hint: 'Do that.' });
    expect(new DowserError('NOT_FOUND', 'x').hint).toBeUndefined();
  });
});

describe('showing what was refused', () => {
  it.each([
    [10n, '10'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [Symbol('s'), 'Symbol(s)'],
    [undefined, 'nothing'],
    ['a "b"', '"a \\"b\\""'],
  ])('never fails: %o', (value, expected) => {
    expect(showValue(value)).toBe(expected);
  });

  it('never fails, not even on what has itself in it', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(showValue(circle)).toBe('[object Object]');
  });

  it('counts every field that does not exist', () => {
    const schema = z.strictObject({ a: z.string().optional() });
    expect(() => parseWith(schema, { b: 1, c: 2, d: 3 }, 'request')).toThrow('(2 more problems)');
    expect(() => parseWith(schema, { b: 1 }, 'request')).not.toThrow('more problem');
  });
});
