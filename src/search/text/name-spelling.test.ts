import { describe, expect, it } from 'vitest';
import { joinedName, withSpelledNames } from './name-spelling.ts';

const NAMES = ['GitHub', 'Brave Search', 'DuckDuckGo Search', 'The Who', 'C++', 'Café', 'X'];
const byJoined = new Map(NAMES.map((name) => [joinedName(name), name]));
const spelled = (text: string) => withSpelledNames(text, (joined) => byJoined.get(joined));

describe('the spelling of names in a query', () => {
  it.each([
    ['create a github issue', 'create a GitHub issue'],
    ['create a git hub issue', 'create a GitHub issue'],
    ['create a Git-Hub issue', 'create a GitHub issue'],
    ['is it on git_hub?', 'is it on GitHub?'],
    ['braveSearch, then GITHUB.', 'Brave Search, then GitHub.'],
    ['ask duck duck go search', 'ask DuckDuckGo Search'],
    ['a cafe nearby', 'a Café nearby'],
  ])('%s', (text, expected) => {
    expect(spelled(text)).toBe(expected);
    expect(spelled(expected)).toBe(expected);
  });

  it.each([
    'merge git, hub and spoke',
    'git  hub',
    'a "git" hub',
    'github.com/acme/tools',
    'who is the who',
    'x and c code',
    '',
  ])('leaves the rest as it is: %s', (text) => {
    expect(spelled(text)).toBe(text);
  });

  it('reads a long text in bounded time', () => {
    let asked = 0;
    withSpelledNames('git '.repeat(2000), () => {
      asked++;
      return undefined;
    });
    expect(asked).toBeLessThan(700);
  });
});
