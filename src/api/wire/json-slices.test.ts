import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { SLICE_CHARS, scanJson } from './json-excess.ts';
import { parseSlices } from './json-slices.ts';
import { readSlices } from './json-text.ts';

function run<T>(work: Generator<void, T>): { readonly value: T; readonly turns: number } {
  for (let turns = 1; ; turns++) {
    const slice = work.next();
    if (slice.done === true) return { value: slice.value, turns };
  }
}

/** What the parser gives with slices of so many characters; 'malformed' where it throws. */
function inSlices(text: string, sliceChars: number): unknown {
  const { large } = run(scanJson(text, sliceChars)).value;
  return orMalformed(() => run(parseSlices(text, large, sliceChars)).value);
}

function orMalformed(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SyntaxError) return 'malformed';
    throw error;
  }
}

describe('parseSlices', () => {
  it('gives what JSON.parse gives, or throws where it does', () => {
    const pieces = fc.constantFrom(
      '',
      '}',
      ']',
      '[',
      '{',
      '"',
      ',',
      ',,',
      ':',
      '\\',
      ' ',
      '\u0001',
      '\u00a0',
      'x',
      '1',
    );
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 5 }),
        fc.nat(),
        pieces,
        fc.nat(1),
        fc.constantFrom(0, 2, 2, 9),
        (json, at, put, cut, spaces) => {
          const spaced = JSON.stringify(JSON.parse(json), null, spaces);
          const place = at % (spaced.length + 1);
          const damaged = spaced.slice(0, place) + put + spaced.slice(place + cut);
          for (const text of [spaced, ` ${damaged}\n`])
            for (const sliceChars of [0, 1, 5, 20])
              expect(inSlices(text, sliceChars)).toEqual(orMalformed(() => JSON.parse(text)));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each([
    '[[1,2],,[3,4]]',
    '[[1,2],]',
    '[,[1,2]]',
    '[[1,2] [3,4]]',
    '[[1,2}]',
    '{"a":[1,2] "b":1}',
    '{"a" [1,2]}',
    '{[1,2]:1}',
    '{"a":1 "b":[1,2]}',
    '[1,2] 3',
    '[1,2',
  ])('refuses %s', (text) => {
    expect(inSlices(text, 2)).toBe('malformed');
  });

  it('keeps a field named __proto__, the last of two fields, and the order', () => {
    const text = '{"b":[1,2,3],"__proto__":{"x":[1,2]},"a":"long text","b":2}';
    const value = inSlices(text, 4) as object;
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe('readSlices', () => {
  const entities = Array.from({ length: 800 }, (_, n) => ({ path: `/${n}`, tags: Array(1000).fill('a tag') }));

  it('never parses more than two slices of a long text at once, and gives the others a turn in between', () => {
    const text = JSON.stringify({ entities: { list: entities } });
    const parse = vi.spyOn(JSON, 'parse');
    const { value, turns } = run(readSlices(text));
    const longest = Math.max(...parse.mock.calls.map(([part]) => part.length));
    parse.mockRestore();
    expect(value).toEqual({ value: { entities: { list: entities } } });
    expect(longest).toBeLessThan(2 * SLICE_CHARS);
    expect(turns).toBeGreaterThan(text.length / SLICE_CHARS);
  });

  it('parses nothing of a text that is cut', () => {
    const text = JSON.stringify(entities).slice(0, -1);
    const parse = vi.spyOn(JSON, 'parse');
    expect(run(readSlices(text)).value).toEqual({ isMalformed: true });
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });
});
