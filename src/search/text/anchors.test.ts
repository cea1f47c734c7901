import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anchorsIn } from './anchors.ts';

/** `kind text` for each anchor. */
const read = (query: string) => anchorsIn(query).map(({ kind, text }) => `${kind} ${text}`);
const kindOf = (query: string) => anchorsIn(query).map(({ kind }) => kind);

describe('the anchors of a query', () => {
  it.each([
    ['D40', ['code D40']],
    ['d40', ['code d40']],
    ['What is in room D40?', ['word room', 'code D40']],
    ['(D40), "D40" and D40-', ['code D40']],
    ['30 CFR 75.1725', ['word 30', 'name CFR', 'code 75.1725']],
    ['PII-2024-0042', ['code PII-2024-0042']],
    ['ISO-8601 or RFC 9110', ['code ISO-8601', 'name RFC', 'word 9110']],
    ['ping 10.0.0.1', ['word ping', 'code 10.0.0.1']],
    ['ключ А40', ['word ключ', 'code А40']],
    ['kopfhörer Ü40', ['word kopfhörer', 'code Ü40']],
  ])('finds the codes in %s, in any case and script, without punctuation', (query, expected) => {
    expect(read(query)).toEqual(expected);
  });

  it.each([
    'get_weather',
    'getWeather',
    'resolve-library-id',
    'context7',
    'node.js',
    'ERR_CONN_42',
    'MSHA',
    'МИР',
    'C++',
    'C#',
    '.NET',
  ])('%s is a name', (query) => {
    expect(kindOf(query)).toEqual(['name']);
  });

  it.each([
    ...[
      '3pm',
      '1st',
      '40mg',
      '2x',
      '1-day',
      '9.8',
      '200,000',
      '7:30',
      '90km/h',
      '42',
      '12345',
      '20-40',
      '4/5',
      '1.2.3',
    ],
    ...['2023-01-01', '01/02/2023', '2024'],
    ...['me@example.org', 'https://example.org/a/b', 'www.example.org', '/usr/local/bin', '~/notes', 'src\\main'],
    ...['up-to-date', 'Aboleth', 'weather', 'OK', '天気予報', '날씨'],
  ])('%s is only a word: a quantity, a date, an address or plain language', (query) => {
    expect(kindOf(query)).toEqual(['word']);
  });

  it.each([
    ['"quiet harbour lamp"', ['phrase quiet harbour lamp']],
    ['notes on “quiet harbour”', ['phrase quiet harbour', 'word notes']],
    ['„roter Faden“ suchen', ['phrase roter Faden', 'word suchen']],
    ['«très vite»', ['phrase très vite']],
    ['"harbour"', ['word harbour']],
    ['"two words" "two words"', ['phrase two words']],
    ['an "open quote', ['word open', 'word quote']],
    ['"" " "', []],
    ['"is it the"', []],
  ])('%s: several words in quotes are a phrase', (query, expected) => {
    expect(read(query)).toEqual(expected);
  });

  it('reads capitals as acronyms unless the whole query is in capitals', () => {
    expect(read('why does the NASA API fail')).toEqual(['name NASA', 'name API', 'word fail']);
    expect(kindOf('MY BUILD IS BROKEN ON LINUX')).not.toContain('name');
    expect(read('MY BUILD IS BROKEN IN ROOM D40')).toContain('code D40');
  });

  it.each(['', '   ', '?!', 'what is the', 'please help me find', '#', '🛠️'])('finds none in %j', (query) => {
    expect(anchorsIn(query)).toEqual([]);
  });

  it('has all bigrams of a word without spaces as terms', () => {
    expect(anchorsIn('東京タワー')[0]?.terms).toEqual(['東京', '京タ', 'タワ', 'ワー']);
    expect(anchorsIn('https://example.org/tariff')[0]?.terms).toEqual(['http', 'exampleorg', 'tariff']);
  });

  it('has the same terms for every separator of an identifier', () => {
    const spellings = ['getWeather', 'get_weather', 'get-weather', 'GetWeather'];
    expect(new Set(spellings.map((spelling) => anchorsIn(spelling)[0]?.terms.join()))).toEqual(new Set(['getweath']));
  });

  it('are distinct and have terms, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), (query) => {
        const anchors = anchorsIn(query);
        const keys = anchors.map(({ terms }) => terms.join('\n'));
        expect(new Set(keys).size).toBe(keys.length);
        expect(anchors.every(({ terms, text }) => terms.length > 0 && text !== '')).toBe(true);
      }),
    );
  });

  // Regular expressions that backtrack too much would run into the timeout.
  it.each(['"', '"a ', '1-', 'A.', '漢', '/', '„“', 'aB'])(
    'are found after 5,120 characters made of %j',
    (piece) => {
      expect(read(`${piece.repeat(5120 / piece.length)} D40`).at(-1)).toBe('code D40');
    },
    5000,
  );
});
