import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SortedWords, TermLists } from './term-lists.ts';

const word = fc.array(fc.constantFrom('a', 'b', 'é', '東', '\uffff', '\ud83d\ude00'), { minLength: 1, maxLength: 3 });
const words = fc.array(word.map((chars) => chars.join('')));
const sortedOf = (some: Iterable<string>) => [...new Set(some)].sort();

test('stored words are found where they are', () => {
  fc.assert(
    fc.property(words, words, (some, others) => {
      const sorted = sortedOf(some);
      const stored = new SortedWords(sorted.join('\n'));
      expect(Array.from({ length: stored.length }, (_, at) => stored.at(at))).toEqual(sorted);
      for (const one of [...some, ...others, '']) {
        expect(stored.indexOf(one)).toBe(sorted.indexOf(one));
        expect(stored.lowerBound(one)).toBe(sorted.filter((other) => other < one).length);
      }
    }),
  );
});

test('lists follow words that come and go, as a map does', () => {
  fc.assert(
    fc.property(words, words, (first, changes) => {
      const sorted = sortedOf(first);
      const lists = new TermLists(new SortedWords(sorted.join('\n')));
      const expected = new Map(sorted.map((one, list) => [one, list]));
      const free: number[] = [];
      let next = sorted.length;
      for (const one of [...changes, ...changes, ...first]) {
        const list = expected.get(one);
        if (list === undefined) {
          const taken = free.pop() ?? next++;
          lists.set(one, taken);
          expected.set(one, taken);
        } else {
          lists.delete(one);
          expected.delete(one);
          free.push(list);
        }
      }
      lists.delete('missing');
      expect(lists.sorted()).toEqual(sortedOf(expected.keys()));
      for (const one of [...first, ...changes])
        expect([lists.get(one), lists.has(one)]).toEqual([expected.get(one), expected.has(one)]);
      for (const [one, list] of expected) expect(lists.at(list)).toBe(one);
      for (const list of free) expect(lists.at(list)).toBe('');
      expect(lists.length).toBe(next);
    }),
  );
});
