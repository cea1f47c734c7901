import { describe, expect, it } from 'vitest';
import { MAX_WHOLE_CHARS } from './query-parts.ts';
import { queryVectors, textsToEmbed } from './query-vectors.ts';

const vector = (...values: number[]) => Float32Array.from(values);

describe('the texts of a query to embed', () => {
  it('are the whole and its parts', () => {
    const texts = { text: 'one. two.', parts: ['one.', 'two.'], meanings: null };
    expect(textsToEmbed(texts)).toEqual(['one. two.', 'one.', 'two.']);
    const [whole, ...parts] = [vector(1, 0), vector(0, 1), vector(0, 2)];
    expect(queryVectors(texts, [whole!, ...parts])).toEqual({ values: whole, parts });
  });

  it('are only the parts of a long text, whose mean by length is the whole', () => {
    const parts = ['a'.repeat(300), 'b'.repeat(900)];
    const texts = { text: parts.join(' '), parts, meanings: null };
    expect(textsToEmbed(texts)).toEqual(parts);
    const vectors = [vector(1, 0), vector(0, 1)];
    expect(queryVectors(texts, vectors)).toEqual({ values: vector(0.25, 0.75), parts: vectors });
  });

  it('are the whole of a long text without parts, and never of sub-queries the parts', () => {
    const text = 'a'.repeat(MAX_WHOLE_CHARS + 1);
    expect(textsToEmbed({ text, parts: [], meanings: null })).toEqual([text]);
    expect(textsToEmbed({ text, parts: ['b', 'c'], meanings: ['d', 'e'] })).toEqual(['d', 'e']);
    expect(queryVectors({ text, parts: ['b', 'c'], meanings: ['d', 'e'] }, [vector(1), vector(2)])).toEqual({
      values: vector(1),
      parts: [vector(2)],
    });
  });

  it('have no vectors where the model gives none', () => {
    expect(queryVectors({ text: 'one', parts: [], meanings: null }, [])).toBeNull();
  });
});
