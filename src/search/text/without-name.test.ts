import { describe, expect, it } from 'vitest';
import { withoutName } from './without-name.ts';

describe('withoutName', () => {
  it.each([
    ['create a github issue', 'GitHub /github', 'create a issue'],
    ['create a GitHub issue', 'GitHub /github', 'create a issue'],
    ['my Google Calendar, tomorrow', 'Google Calendar /google-calendar', 'my tomorrow'],
    ['list the repos of gitlab', 'GitHub /github', 'list the repos of gitlab'],
    ["Slack's channels", 'Slack /slack', 'channels'],
  ])('leaves the words of the name out: %s', (query, name, expected) => {
    expect(withoutName(query, name)).toBe(expected);
  });

  it('keeps a word for an action, also if the server is called so', () => {
    expect(withoutName('fetch a page with Fetch', 'Fetch /fetch')).toBe('fetch a page with Fetch');
  });

  it.each(['github', 'the GitHub', 'Git Hub!'])('is empty if the query only names the server: %s', (query) => {
    expect(withoutName(query, 'GitHub Git Hub /github')).toBe('');
  });

  it('leaves nothing out for a server without a name', () => {
    expect(withoutName('create an issue', '')).toBe('create an issue');
  });
});
