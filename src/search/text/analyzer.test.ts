import { describe, expect, test } from 'vitest';
import { analyze, analyzeQuery } from './analyzer.ts';

describe('identifiers', () => {
  test.each([
    ['camelCase', 'getUserId', 'getuserid get user id'],
    ['PascalCase with an acronym', 'HTTPServer', 'httpserver http server'],
    ['an acronym in the plural', 'parseURLs', 'parseurl parse url'],
    ['snake_case', 'create_pull_request', 'createpullrequest creat pull request'],
    ['kebab-case', 'resolve-library-id', 'resolvelibraryid resolv librari id'],
    ['the names of MCP tools', 'mcp__server__tool', 'mcpservertool mcp server tool'],
    ['dots', 'node.js', 'nodej node js'],
    ['decimal numbers, whole and in parts', '75.1725', '75.1725 75 1725'],
    ['letters beside digits', 'context7', 'context7 context'],
    ['digits beside letters', 'base64', 'base64 base 64'],
    ['initials', 'U.S.A.', 'usa'],
    ['names with an apostrophe', "O'Reilly", 'oreilli reilli'],
  ])('%s', (_, text, terms) => {
    expect(analyze(text).join(' ')).toBe(terms);
  });

  test('an identifier has the same first term with every separator', () => {
    for (const text of ['getUser', 'GetUser', 'get_user', 'get-user', 'get.user', 'getuser']) {
      expect(analyze(text)[0]).toBe('getus');
    }
  });

  test('a single leading letter is not split off', () => {
    expect(analyze('iOS OAuth vLLM eBay')).toEqual(['ios', 'oauth', 'vllm', 'ebai']);
  });
});

describe('short words', () => {
  test.each([
    ['s3', 's3'],
    ['gh', 'gh'],
    ['AI', 'ai'],
    ['Go', 'go'],
    ['R', 'r'],
    ['C', 'c'],
    ['C++', 'cpp'],
    ['C#', 'csharp'],
    ['.NET', 'dotnet'],
  ])('%s can be found', (text, term) => {
    expect(analyze(`written in ${text}, today`)).toContain(term);
    expect(analyzeQuery(text)).toEqual([{ term, frequency: 1 }]);
  });

  test('a letter with symbols does not match the letter', () => {
    expect(analyze('C++')).not.toContain('c');
    expect(analyze('section a#b')).not.toContain('asharp');
  });

  test('contractions lose their ending and leave no single letters', () => {
    expect(analyze("I'm sure it's what they'd've said; don't, can’t, won't")).toEqual(['sure', 'said']);
    expect(analyze("the server's tools")).toEqual(['server', 'tool']);
    for (const term of analyze("I'm here")) expect(analyze('iOS iPhone')).not.toContain(term);
  });
});

describe('other scripts', () => {
  test('Han, kana and Hangul give bigrams, a single character gives itself', () => {
    expect(analyze('東京都')).toEqual(['東京', '京都']);
    expect(analyze('タワー')).toEqual(['タワ', 'ワー']);
    expect(analyze('한국어 本')).toEqual(['한국', '국어', '本']);
    expect(analyze('MCP服务器')).toEqual(['mcp', '服务', '务器']);
  });

  test('other scripts give words with their marks', () => {
    expect(analyze('Привет мир')).toEqual(['привет', 'мир']);
    expect(analyze('मौसम की')).toEqual(['मौसम', 'की']);
  });

  test('folds letters to the ones people type', () => {
    expect(analyze('Café NAÏVE Straße Ærø Łódź ﬁle ＡＰＩ')).toEqual([
      'cafe',
      'naiv',
      'strasse',
      'aero',
      'lodz',
      'file',
      'api',
    ]);
    expect(analyze('ΟΔΟΣ')).toEqual(analyze('οδος'));
    expect(analyze('İstanbul')).toEqual(analyze('istanbul'));
  });
});

test('forms of one word give one term', () => {
  for (const forms of [
    'query queries querying queried',
    'use uses used using',
    'generate generates generated generating generation generator',
    'translate translation translator translating',
    'status statuses',
    'release releases releasing released',
    'API APIs',
    'GPU GPUs',
    'id ids IDs',
    'database databases',
  ]) {
    expect(new Set(analyze(forms)).size, forms).toBe(1);
  }
});

test('different words that look like forms of one word give different terms', () => {
  for (const pair of ['news new', 'canvas Canva', 'iOS io', 'parse par', 'user use', 'add ad']) {
    expect(new Set(analyze(pair)).size, pair).toBe(2);
  }
});

test('a text without words gives no terms', () => {
  for (const text of ['', '   ', '...---___', 'the of and', "'", '#', '\u0301', '\ud800'])
    expect(analyze(text)).toEqual([]);
});

test('a term has at most 64 code points', () => {
  const long = [...analyze(`${'x'.repeat(500)} ${'x'.repeat(40)}_${'y'.repeat(40)} ${'é𐐨'.repeat(200)}`)];
  expect(long).toHaveLength(4);
  for (const term of long) expect([...term].length).toBeLessThanOrEqual(64);
});

describe('query terms', () => {
  const frequencies = (query: string) =>
    Object.fromEntries(analyzeQuery(query).map((each) => [each.term, each.frequency]));

  test('come in order of first appearance', () => {
    expect(analyzeQuery('weather in Paris or the weather of Rome').map(({ term }) => term)).toEqual([
      'weather',
      'pari',
      'rome',
    ]);
  });

  test('count more when they are repeated, up to 3', () => {
    expect(frequencies('rome')).toEqual({ rome: 1 });
    expect(frequencies('rome rome')).toEqual({ rome: 1.5 });
    expect(frequencies('rome '.repeat(1000))).toEqual({ rome: 3 });
  });

  test('count less when they are parts of an identifier', () => {
    expect(frequencies('getWeather')).toEqual({ getweath: 1, get: 0.1875, weather: 0.3125 });
  });

  test('count less when they are filler words', () => {
    expect(frequencies('please help me find weather')).toEqual({ please: 0.5, help: 0.5, find: 0.5, weather: 1 });
  });
});

// Quadratic work would run into the timeout of the test.
test.each(['a_', 'aA', "a'", 'y', '1a', '.net', '-', 'İ', '東', 'a\u0301'])(
  'takes linear time for a text of 200,000 characters made of %j',
  (piece) => {
    expect(analyze(`${piece.repeat(200_000 / piece.length)} end`).at(-1)).toBe('end');
  },
  5000,
);
