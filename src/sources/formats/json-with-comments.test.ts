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
    expect(() => parseJsonWithComments(text, 'The file')).toThrow(`The file is not JSON (${place}).`);
  });

  it('says where it goes wrong, and not what is there', () => {
    expect(() => parseJsonWithComments('{\n"key": "sk-secret"\n"b": 1}', 'The file')).toThrow(
      expect.objectContaining({ code: 'MALFORMED_JSON', message: expect.not.stringContaining('sk-secret') }),
    );
    expect(() => parseJsonWithComments('', 'The file')).toThrow(expect.objectContaining({ hint: 'It is empty.' }));
  });
});
