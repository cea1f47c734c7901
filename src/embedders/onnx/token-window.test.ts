import { describe, expect, it } from 'vitest';
import { cutTokens, windowOf } from './token-window.ts';

const CLS = -1;
const SEP = -2;

describe('cutTokens', () => {
  it('leaves a list that fits', () => {
    expect(cutTokens([CLS, 5, SEP], 3)).toEqual([CLS, 5, SEP]);
  });

  it('keeps the closing token when it cuts', () => {
    expect(cutTokens([CLS, 5, 6, 7, SEP], 4)).toEqual([CLS, 5, 6, SEP]);
  });
});

describe('windowOf', () => {
  let read: number[] = [];
  const tokenize = (text: string) => {
    read.push(text.length);
    return [CLS, ...[...text.matchAll(/\S+/g)].map((word) => word[0].length), SEP];
  };

  it('reads a short text whole', () => {
    read = [];
    expect(windowOf('one three', 8, tokenize)).toEqual([CLS, 3, 5, SEP]);
    expect(read).toEqual([9]);
  });

  it('reads only the beginning of a long text, and gives what reading all of it would', () => {
    const text = 'some words of a long book '.repeat(10_000);
    read = [];
    const window = windowOf(text, 256, tokenize);
    expect(Math.max(...read)).toBeLessThan(20_000);
    expect(window).toEqual(cutTokens(tokenize(text), 256));
  });

  it('reads on when the beginning holds few words', () => {
    const text = `start ${' '.repeat(50_000)} end ${'word '.repeat(1000)}`;
    expect(windowOf(text, 16, tokenize)).toEqual(cutTokens(tokenize(text), 16));
  });
});
