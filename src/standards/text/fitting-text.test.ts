import { describe, expect, it } from 'vitest';
import { clipText, webUrl } from './fitting-text.ts';

describe('clipText', () => {
  it.each([
    ['short', 10, 'short'],
    ['two\n lines', 20, 'two lines'],
    ['words that go on, and on', 20, 'words that go on…'],
    ['unbrokenunbroken', 8, 'unbroke…'],
    ['😀😀😀😀', 4, '😀😀😀😀'],
    ['😀😀😀😀😀', 4, '😀😀😀…'],
    ['', 5, ''],
  ])('makes %j of at most %i characters %j', (text, max, clipped) => {
    expect(clipText(text, max)).toBe(clipped);
  });
});

describe('webUrl', () => {
  it.each([
    ['https://a.example/x', 'https://a.example/x'],
    [' http://a.example ', 'http://a.example'],
    ['https://a.example/ä', 'https://a.example/%C3%A4'],
    ['ftp://a.example', undefined],
    ['https://', undefined],
    [undefined, undefined],
  ])('of %j is %j', (text, url) => {
    expect(webUrl(text)).toBe(url);
  });
});
