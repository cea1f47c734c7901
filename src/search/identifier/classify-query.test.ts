import { describe, expect, it } from 'vitest';
import { anchorsIn } from '../text/anchors.ts';
import { anchorsToLookUp, CONCEPTUAL, classifyQuery } from './classify-query.ts';

/** Classifies a query. `counts`: the number of units that hold each anchor. */
function read(query: string, counts: Readonly<Record<string, number>>, indexSize = 1000) {
  const anchors = anchorsIn(query);
  const holders = anchorsToLookUp(anchors).map((anchor) => ({
    anchor,
    units: [],
    count: counts[anchor.text] ?? 0,
    byIdentifier: false,
  }));
  const classification = classifyQuery(holders, anchors.length, indexSize);
  return { ...classification, anchors: classification.anchors.map(({ anchor }) => anchor.text) };
}

describe('classifyQuery', () => {
  it('finds an identifier only when the index has it', () => {
    expect(read('D40', { D40: 1 })).toEqual({ class: 'identifier', anchors: ['D40'], needsNoVector: true });
    expect(read('D40', {})).toEqual(CONCEPTUAL);
    expect(read('', {})).toEqual(CONCEPTUAL);
  });

  it('needs the vector in a mixed query', () => {
    const known = { D40: 1, room: 90 };
    expect(read('What is in room D40?', known)).toEqual({ class: 'mixed', anchors: ['D40'], needsNoVector: false });
  });

  it('needs no vector for codes, but for names and codes of one digit', () => {
    expect(read('PII-2024-0042', { 'PII-2024-0042': 2 }).needsNoVector).toBe(true);
    expect(read('D40 D41', { D40: 1, D41: 1 })).toMatchObject({ class: 'identifier', needsNoVector: true });
    expect(read('S3', { S3: 2 })).toMatchObject({ class: 'identifier', needsNoVector: false });
    expect(read('get_weather', { get_weather: 1 })).toMatchObject({ class: 'identifier', needsNoVector: false });
    expect(read('D40 get_weather', { D40: 1, get_weather: 1 }).needsNoVector).toBe(false);
    expect(read('D40 D41', { D40: 1 }).needsNoVector).toBe(false);
  });

  it('reads a plain word as a name only when it is the whole query', () => {
    expect(read('Aboleth', { Aboleth: 2 })).toMatchObject({ class: 'identifier', needsNoVector: false });
    expect(read('where do Aboleth live', { Aboleth: 2, live: 40 })).toEqual(CONCEPTUAL);
    expect(read('tell me about Aboleth', { Aboleth: 2 }).class).toBe('identifier');
  });

  it('does not read a term as a name when many units have it', () => {
    expect(read('D40', { D40: 3 }).class).toBe('identifier');
    expect(read('D40', { D40: 4 }).class).toBe('conceptual');
    expect(read('D40', { D40: 20 }, 10_000).class).toBe('identifier');
    expect(read('D40', { D40: 21 }, 10_000).class).toBe('conceptual');
  });
});
