import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/json/json-object.ts';
import { ArgumentCheck, signatureOf } from './check-arguments.ts';

const object = (properties: object, required: readonly string[] = [], rest: object = {}): JsonObject => ({
  type: 'object',
  properties,
  required,
  ...rest,
});
const check = (schema: JsonObject, args: JsonObject) => new ArgumentCheck().check(JSON.stringify(schema), schema, args);

describe('arguments that do not fit', () => {
  const text = { type: 'string' };
  it.each<[string, JsonObject, JsonObject, string, string]>([
    ['a missing one', object({ a: text }, ['a']), {}, '/', "must have 'a'"],
    ['a wrong type', object({ a: { type: 'integer' } }), { a: 'x' }, '/a', 'must be integer'],
    ['an unknown one', object({}, [], { additionalProperties: false }), { b: 1 }, '/', "must not have 'b'"],
    ['none of a choice', object({ a: { enum: ['x', 'y'] } }), { a: 'z' }, '/a', 'must be one of ["x","y"]'],
    ['out of range', object({ a: { type: 'number', minimum: 5 } }), { a: 1 }, '/a', 'must be >= 5'],
    ['inside a list', object({ a: { type: 'array', items: text } }), { a: ['x', 1] }, '/a/1', 'must be string'],
    [
      'inside an object',
      object({ a: object({ b: { type: 'boolean' } }, ['b']) }, ['a']),
      { a: {} },
      '/a',
      "must have 'b'",
    ],
    [
      'behind a reference',
      object({ a: { $ref: '#/$defs/size' } }, ['a'], { $defs: { size: { type: 'integer', maximum: 9 } } }),
      { a: 10 },
      '/a',
      'must be <= 9',
    ],
    [
      'a list that is too short',
      object({ a: { type: 'array', items: text, minItems: 2 } }, ['a']),
      { a: [] },
      '/a',
      '',
    ],
  ])('are refused with the place, what is expected, and an example that fits: %s', (_, schema, args, at, expected) => {
    const { problem, warning } = check(schema, args);
    expect(warning).toBeNull();
    expect(problem?.at).toBe(at);
    expect(problem?.expected).toContain(expected);
    expect(check(schema, problem!.example!)).toEqual({ problem: null, warning: null });
  });

  it('keep what fits in the example', () => {
    const schema = object({ repo: text, number: { type: 'integer' } }, ['repo', 'number']);
    expect(check(schema, { repo: 'mine', number: 'three' }).problem?.example).toEqual({ repo: 'mine', number: 1 });
    expect(check(schema, { repo: 'mine', number: '3' }).problem?.example).toEqual({ repo: 'mine', number: 3 });
  });
});

describe('a schema', () => {
  it('of draft 7 is understood, with its dialect named', () => {
    const schema = object({ a: { items: [{ type: 'string' }], type: 'array' } }, [], {
      $schema: 'http://json-schema.org/draft-07/schema#',
    });
    expect(check(schema, { a: [1] }).problem?.at).toBe('/a/0');
    expect(check(schema, { a: ['x'] }).problem).toBeNull();
  });

  it('may require what has a default, as servers made with zod do: it may be left out, here and inside a list', () => {
    const scale = { enum: ['css', 'device'], default: 'css' };
    const step = object({ scale, unit: { default: null } }, ['scale', 'unit']);
    const schema = object({ scale, steps: { type: 'array', items: step } }, ['scale', 'steps']);
    expect(check(schema, { steps: [{}, { scale: 'device' }] })).toEqual({ problem: null, warning: null });
    expect(check(schema, { steps: [], scale: 'large' }).problem?.at).toBe('/scale');
    expect(check(schema, {}).problem).toMatchObject({ expected: "must have 'steps'" });
    expect(signatureOf(schema)).toBe('steps*, scale');
  });

  const needs = (name: string, property: object = {}) => ({
    properties: { [name]: { default: 'd', ...property } },
    required: [name],
  });
  const scale = { properties: { scale: { default: 1 } }, required: ['scale'] };
  const alternatives = [needs('id'), needs('name')];
  const $defs = { id: needs('id'), name: needs('name') };
  const oneOfReferences = [{ $ref: '#/$defs/id' }, { $ref: '#/$defs/name' }];
  const onlyFor = { if: needs('mode', { const: 'fast' }), ...Object.fromEntries([['then', { required: ['speed'] }]]) };
  it.each<[string, JsonObject, JsonObject]>([
    ['oneOf', { oneOf: alternatives }, { id: 'a' }],
    ['oneOf beside another default', { ...scale, oneOf: alternatives }, { id: 'a' }],
    ['oneOf of references', { $defs, oneOf: oneOfReferences }, { id: 'a' }],
    [
      'oneOf told apart by a constant',
      { oneOf: [object({ kind: { const: 'a' }, n: { default: 1 } }, ['kind', 'n'])] },
      { kind: 'a' },
    ],
    ['anyOf', { anyOf: [object({ n: { default: 1 } }, ['n']), { type: 'null' }] }, {}],
    ['not', { not: needs('x') }, { y: 1 }],
    ['not beside another default', { ...scale, not: needs('x') }, { y: 1 }],
    ['not of a reference', { $defs, not: { $ref: '#/$defs/id' } }, { y: 1 }],
    ['if', onlyFor, {}],
    ['if beside another default', { ...scale, ...onlyFor }, {}],
    ['contains', { properties: { a: { contains: needs('x'), minContains: 0, maxContains: 1 } } }, { a: [{}, {}] }],
  ])('accepts with required defaults what it accepts without: %s', (_, part, args) => {
    expect(check({ type: 'object', ...part }, args)).toEqual({ problem: null, warning: null });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['oneOf', { oneOf: [needs('id', { type: 'string' }), needs('name', { type: 'string' })] }, { id: 1, name: 1 }],
    ['oneOf without defaults', { oneOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: 1, b: 1 }],
    ['not', { not: needs('x') }, { x: 1 }],
    ['if', onlyFor, { mode: 'fast' }],
    ['a property named as a keyword', { properties: { not: object({ a: {} }, ['a']) } }, { not: {} }],
  ])('with required defaults still refuses: %s', (_, part, args) => {
    expect(check({ type: 'object', ...part }, args).problem).not.toBeNull();
  });

  it('is not changed where its words are values or names', () => {
    const named = object({ if: object({ a: { default: 1 } }, ['a']) });
    expect(check(named, { if: {} }).problem).toBeNull();
    const value = { properties: { a: { default: 1 } }, required: ['a'] };
    expect(check(object({ a: { const: value } }), { a: value }).problem).toBeNull();
    expect(check(object({ required: { type: 'string' } }), { required: 1 }).problem?.at).toBe('/required');
  });

  it('that cannot be used is skipped with a warning', () => {
    expect(check({ type: 'object', properties: { a: { pattern: '(' } } }, { a: 'x' })).toEqual({
      problem: null,
      warning: expect.stringContaining('not checked'),
    });
    expect(check({ $ref: '#/nowhere' }, {}).warning).toContain('not checked');
  });

  it('that takes for ever is given up, also inside a regular expression', () => {
    const schema = object({ a: { type: 'string', pattern: '^(a+)+$' } });
    const checks = new ArgumentCheck();
    const args = { a: `${'a'.repeat(40)}!` };
    expect(checks.check('k', schema, args).warning).toContain('not checked');
    expect(checks.check('k', schema, { a: 'b' }).warning).toContain('not checked');
  });

  it('is named in few words', () => {
    expect(signatureOf(object({ body: {}, repo: {}, title: {} }, ['repo', 'title']))).toBe('repo*, title*, body');
    expect(signatureOf(undefined)).toBe('');
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`argument_${at}`, {}]));
    expect(signatureOf(object(many))).toMatch(/^argument_0, .*, \.\.\.$/);
  });
});
