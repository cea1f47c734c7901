import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonWithComments } from './json-with-comments.ts';

describe('parseJsonWithComments', () => {
  it.each([
    ['{"a": 1}', { a: 1 }],
    ['\uFEFF{"a": 1}', { a: 1 }],
    ['// first\n{"a": 1 /* one */, "b": [1, 2,],}', { a: 1, b: [1, 2] }],
    ['{"url": "https://x.example/*y*/", "t": ",}"}', { url: 'https://x.example/*y*/', t: ',}' }],
    ['{"quote": "\\"// no comment"}', { quote: '"// no comment' }],
  ])('%s', (text, value) => expect(parseJsonWithComments(text, 'It')).toEqual(value));

  it.each([
    ['{\n  "a": 1,, "b": 2\n}', 'line 2, column 10'],
    ['{ // 日本\n  "日本": x }', 'line 2, column 9'],
    ['{\n  "a": {\n', 'line 3, column 1'],
  ])('says where %j goes wrong', (text, place) => {
    const [line, column] = place.match(/\d+/g)!.map(Number);
    expect(() => parseJsonWithComments(text, 'The file')).toThrow(
      expect.objectContaining({ message: `The file is not JSON (${place}).`, details: { line, column } }),
    );
  });

  it.each(['/* open', '{"a": 1} x', '[1,,2]', '{a: 1}', "{'a': 1}", '01', '1.', '"a\tb"', '"\\q"', 'nul', '[}'])(
    'refuses %s',
    (text) => {
      expect(() => parseJsonWithComments(text, 'The file')).toThrow('The file is not JSON (line 1, column ');
    },
  );

  it('reads JSON as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        expect(JSON.stringify(parseJsonWithComments(text, 'It'))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('takes a key named __proto__ for a key', () => {
    const value = parseJsonWithComments('{"__proto__": {"isAdmin": true}, }', 'It') as Record<string, unknown>;
    expect([value.isAdmin, Object.keys(value)]).toEqual([undefined, ['__proto__']]);
  });

  it('refuses to nest too deep, before the stack is full', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(parseJsonWithComments(nested(200), 'It')).toHaveLength(1);
    for (const depth of [201, 200_000]) {
      expect(() => parseJsonWithComments(nested(depth), 'It')).toThrow(
        'It nests deeper than 200 levels (line 1, column 201).',
      );
    }
  });

  it('says where it goes wrong, and not what is there', () => {
    expect(() => parseJsonWithComments('{\n"key": "sk-secret"\n"b": 1}', 'The file')).toThrow(
      expect.objectContaining({ code: 'MALFORMED_JSON', message: expect.not.stringContaining('sk-secret') }),
    );
    expect(() => parseJsonWithComments('', 'The file')).toThrow(expect.objectContaining({ hint: 'It is empty.' }));
  });
});
