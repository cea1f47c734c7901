import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adjacentWords, wordPairs } from './adjacent-words.ts';

const shareOf = (query: string, ...texts: readonly string[]) => {
  const [name = '', description = '', body = ''] = texts;
  return adjacentWords(query, () => wordPairs({ name, description, body }));
};

describe('adjacentWords', () => {
  it.each([
    ['all words in their order', 'copper kettle', 'a copper kettle', 1],
    ['the other order', 'copper kettle', 'the kettle is copper', 0],
    ['a word in between', 'copper kettle', 'copper tea kettle', 0],
    ['stop words in between', 'list of issues', 'Lists the issues', 1],
    ['other forms of the words', 'booked flights', 'Book a flight', 1],
    ['an identifier', 'create an issue', 'createIssue', 1],
    ['the same identifier', 'create_issue', 'calls create_issue', 1],
    ['one of several pairs', 'red copper kettle', 'copper kettle', 0.5],
    ['two of several pairs', 'one old red copper kettle', 'old red copper', 1],
    ['one pair twice', 'copper kettle or copper kettle lamp', 'copper kettle, red copper kettle', 0.5],
    ['Chinese', '天气预报', '查询天气预报', 1],
  ])('for %s: %j in %j is %d', (_, query, text, expected) => {
    expect(shareOf(query, text)).toBe(expected);
  });

  it('counts the pairs of all fields, but none across two', () => {
    expect(shareOf('red copper kettle', 'red copper', 'copper kettle')).toBe(1);
    expect(shareOf('copper kettle', 'copper', 'kettle')).toBe(0);
  });

  it.each(['kettle', '', 'the', 'kettle kettle', 'D40', 'gpt4'])(
    'is 0 for %j, which has no pairs, and reads nothing',
    (query) => {
      const read = () => {
        throw new Error('read');
      };
      expect(adjacentWords(query, read)).toBe(0);
    },
  );

  it('is 0 for a unit without text', () => {
    expect(adjacentWords('copper kettle', () => wordPairs({}))).toBe(0);
  });

  it('reads the start of a long text only', () => {
    const behind = (length: number) => shareOf('copper kettle', 'x'.repeat(length), 'copper kettle');
    expect([behind(3000), behind(4000)]).toEqual([1, 0]);
  });

  it('reads no further in a text whose characters stand for many words', () => {
    // One character is four words.
    const behind = (length: number) => shareOf('copper kettle', '\ufdfa'.repeat(length), 'copper kettle');
    expect([behind(100), behind(3000)]).toEqual([1, 0]);
  });

  it('finds a pair anywhere in a long text', () => {
    const noise = 'lamp of spoons, '.repeat(20);
    for (let at = 0; at <= noise.length; at++) {
      const text = `${noise}${noise.slice(0, at)} copper kettle ${noise}`;
      expect([at, shareOf('copper kettle', text)]).toEqual([at, 1]);
    }
  });

  it('is the share of the pairs that stand in the text, of at most two', () => {
    const word = fc.constantFrom('red', 'copper', 'kettle', 'lamp', 'spoon');
    const words = fc.array(word, { maxLength: 6 });
    fc.assert(
      fc.property(words, fc.array(words, { maxLength: 3 }), (query, fields) => {
        const pairs = new Set(
          query.flatMap((one, i) => (i > 0 && query[i - 1] !== one ? [`${query[i - 1]} ${one}`] : [])),
        );
        const found = [...pairs].filter((pair) => fields.some((field) => ` ${field.join(' ')} `.includes(` ${pair} `)));
        const expected = pairs.size === 0 ? 0 : Math.min(1, found.length / Math.min(2, pairs.size));
        expect(shareOf(query.join(' '), ...fields.map((field) => field.join(' ')))).toBe(expected);
      }),
    );
  });
});
