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
  ])('%s has its codes, whatever the case, the script and the punctuation around them', (query, expected) => {
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
  ])('%s is a name: it is written like one', (query) => {
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
  ])('%s is no more than a word: a quantity, a date, an address or language', (query) => {
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
  ])('%s: quotes make a phrase of several words', (query, expected) => {
    expect(read(query)).toEqual(expected);
  });

  it('takes capitals for acronyms unless the whole query is shouted', () => {
    expect(read('why does the NASA API fail')).toEqual(['name NASA', 'name API', 'word fail']);
    expect(kindOf('MY BUILD IS BROKEN ON LINUX')).not.toContain('name');
    expect(read('MY BUILD IS BROKEN IN ROOM D40')).toContain('code D40');
  });

  it.each(['', '   ', '?!', 'what is the', 'please help me find', '#', '🛠️'])('finds none in %j', (query) => {
    expect(anchorsIn(query)).toEqual([]);
  });

  it('is held by what has all of a word that is written without blanks', () => {
    expect(anchorsIn('東京タワー')[0]?.terms).toEqual(['東京', '京タ', 'タワ', 'ワー']);
    expect(anchorsIn('https://example.org/tariff')[0]?.terms).toEqual(['http', 'exampleorg', 'tariff']);
  });

  it('is held by every way to join an identifier', () => {
    const spellings = ['getWeather', 'get_weather', 'get-weather', 'GetWeather'];
    expect(new Set(spellings.map((spelling) => anchorsIn(spelling)[0]?.terms.join()))).toEqual(new Set(['getweath']));
  });

  it('has each anchor once, with terms, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), (query) => {
        const anchors = anchorsIn(query);
        const keys = anchors.map(({ terms }) => terms.join('\n'));
        expect(new Set(keys).size).toBe(keys.length);
        expect(anchors.every(({ terms, text }) => terms.length > 0 && text !== '')).toBe(true);
      }),
    );
  });

  // Under a millisecond each time; the cube of the length would take minutes.
  it.each(['"', '"a ', '1-', 'A.', '漢', '/', '„“', 'aB'])(
    'is quick with 512 characters of %j',
    { timeout: 10_000 },
    (piece) => {
      const query = piece.repeat(512 / piece.length);
      for (let times = 0; times < 500; times++) anchorsIn(query);
    },
  );
});
