import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { DowserError } from '../../model/errors/errors.ts';
import { LIMITS } from '../../model/parse/limits.ts';
import { parseJson } from './json-text.ts';

function errorOf(text: string): DowserError {
  try {
    parseJson(text, 'body');
  } catch (thrown) {
    if (thrown instanceof DowserError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

describe('parseJson', () => {
  it.each([
    ['', 'line 1, column 1 (character 0)'],
    ['{"a": }', 'line 1, column 7 (character 6)'],
    ['{"a": 1,\n "b": tru}', 'line 2, column 7 (character 15)'],
    ['{"a": 1,}', 'line 1, column 9 (character 8)'],
    ['[1 2]', 'line 1, column 4 (character 3)'],
    ["{'a': 1}", 'line 1, column 2 (character 1)'],
    ['{"a" 1}', 'line 1, column 6 (character 5)'],
    ['{"a": "x\ny"}', 'line 1, column 9 (character 8)'],
    ['{"a": "\\q"}', 'line 1, column 8 (character 7)'],
    ['{"a": 1', 'line 1, column 8 (character 7)'],
    ['{"a": "open', 'line 1, column 12 (character 11)'],
    ['{} x', 'line 1, column 4 (character 3)'],
    ['[1]]', 'line 1, column 4 (character 3)'],
    ['01', 'line 1, column 2 (character 1)'],
  ])('says where the error in %j is', (text, place) => {
    const error = errorOf(text);
    expect(error.code).toBe('MALFORMED_JSON');
    expect(error.message).toContain(`at ${place}.`);
    expect(error.hint).toBeDefined();
  });

  it('never repeats the text, which may contain a key', () => {
    expect(errorOf('{"embeddings_api_key": "sk-very-secret" oops}').message).not.toContain('secret');
  });

  it('accepts the same texts as the runtime, and finds the error in any other', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom('', '}', '"', ',', '\\', '\u0001', 'x'), (json, at, put) => {
        const cut = at % (json.length + 1);
        const text = json.slice(0, cut) + put + json.slice(cut + 1);
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        if (valid) {
          expect(parseJson(text, 'body')).toEqual(JSON.parse(text));
          return;
        }
        const offset = Number(/character (\d+)/.exec(errorOf(text).message)?.[1]);
        expect(offset).toBeLessThanOrEqual(text.length);
        // What comes before the error is the start of some document, so the same start goes wrong no earlier.
        expect(Number(/character (\d+)/.exec(errorOf(`${text.slice(0, offset)}\u0001`).message)?.[1])).toBe(offset);
      }),
      { numRuns: 500 },
    );
  });

  it('accepts nesting up to the limit and refuses one level more', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    const { max } = LIMITS.json_depth;
    expect(parseJson(nested(max), 'body')).toBeDefined();
    expect(errorOf(nested(max + 1)).message).toContain(`deeper than ${max} levels`);
    expect(parseJson(JSON.stringify('['.repeat(1000)), 'body')).toHaveLength(1000);
  });

  it('finds the error in megabytes of string or brackets without running out of stack', () => {
    expect(errorOf(`"${'a'.repeat(4_000_000)}`).message).toContain('character 4000001');
    expect(errorOf('['.repeat(1_000_000)).message).toContain('line 1, column 201');
  });

  it('refuses more fields or items than the limit before it parses them, and names the place', () => {
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
    const { json_fields, json_items } = LIMITS;
    expect(parseJson(JSON.stringify({ metadata: fields(json_fields.max) }), 'body')).toBeDefined();
    expect(parseJson(JSON.stringify(Array(json_items.max).fill(0)), 'body')).toHaveLength(json_items.max);
    const parse = vi.spyOn(JSON, 'parse');
    const error = errorOf(`{"name": "a", "metadata": ${JSON.stringify(fields(json_fields.max + 1))}}`);
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', field: 'metadata', details: { max: json_fields.max } });
    expect(error.message).toContain(`more than ${json_fields.max} fields in 'metadata' at line 1`);
    const list = errorOf(`{"a": [{"b,\\": "x\\",", "tags": [${'0,'.repeat(json_items.max)}0]}]}`);
    expect(list).toMatchObject({ field: 'a.0.tags', details: { max: json_items.max } });
    const values = errorOf(`[${`${'['.repeat(100)}${']'.repeat(100)},`.repeat(10_001)}0]`);
    expect(values).toMatchObject({ code: 'INVALID_REQUEST', details: { max: LIMITS.json_values.max } });
    expect(values.message).toContain('(json_values)');
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });
});
