import { describe, expect, it } from 'vitest';
import { anchorsIn } from './anchors.ts';
import { CONCEPTUAL, readQuery, telling } from './read-query.ts';

/** Reads a query against an index that knows, of each anchor as written, how many units hold it. */
function read(query: string, counts: Readonly<Record<string, number>>, indexSize = 1000) {
  const anchors = anchorsIn(query);
  const holders = telling(anchors).map((anchor) => ({ anchor, units: [], count: counts[anchor.text] ?? 0 }));
  const reading = readQuery(holders, anchors.length, indexSize);
  return { ...reading, anchors: reading.anchors.map(({ anchor }) => anchor.text) };
}

describe('reading a query', () => {
  it('takes an identifier for one only when the index knows it', () => {
    expect(read('D40', { D40: 1 })).toEqual({ class: 'identifier', anchors: ['D40'], needsNoVector: true });
    expect(read('D40', {})).toEqual(CONCEPTUAL);
    expect(read('', {})).toEqual(CONCEPTUAL);
  });

  it('finds identifier and more in a mixed query, and asks the model for the rest', () => {
    const known = { D40: 1, room: 90 };
    expect(read('What is in room D40?', known)).toEqual({ class: 'mixed', anchors: ['D40'], needsNoVector: false });
  });

  it('looks a pure code up without the model, a name and a code of one digit with it', () => {
    expect(read('PII-2024-0042', { 'PII-2024-0042': 2 }).needsNoVector).toBe(true);
    expect(read('D40 D41', { D40: 1, D41: 1 })).toMatchObject({ class: 'identifier', needsNoVector: true });
    expect(read('S3', { S3: 2 })).toMatchObject({ class: 'identifier', needsNoVector: false });
    expect(read('get_weather', { get_weather: 1 })).toMatchObject({ class: 'identifier', needsNoVector: false });
    expect(read('D40 get_weather', { D40: 1, get_weather: 1 }).needsNoVector).toBe(false);
    expect(read('D40 D41', { D40: 1 }).needsNoVector).toBe(false);
  });

  it('takes a plain word for a name only when it is all that was asked', () => {
    expect(read('Aboleth', { Aboleth: 2 })).toMatchObject({ class: 'identifier', needsNoVector: false });
    expect(read('where do Aboleth live', { Aboleth: 2, live: 40 })).toEqual(CONCEPTUAL);
    expect(read('tell me about Aboleth', { Aboleth: 2 }).class).toBe('identifier');
  });

  it('takes nothing for a name that many units have', () => {
    expect(read('D40', { D40: 3 }).class).toBe('identifier');
    expect(read('D40', { D40: 4 }).class).toBe('conceptual');
    expect(read('D40', { D40: 20 }, 10_000).class).toBe('identifier');
    expect(read('D40', { D40: 21 }, 10_000).class).toBe('conceptual');
  });
});
