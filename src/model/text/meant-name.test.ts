import { describe, expect, it } from 'vitest';
import { meantField, meantName, nearestNames } from './meant-name.ts';

describe('meantName', () => {
  it.each([
    ['descripton', 'description'],
    ['Descriptoin', 'description'],
    ['is-enabled', 'is_enabled'],
    ['isEnabled', 'is_enabled'],
    ['nmae', 'name'],
    ['URL', 'url'],
    ['date', undefined],
    ['urn', undefined],
    ['', undefined],
    ['###', undefined],
    ['something else', undefined],
  ])('takes %j for %j', (name, meant) => {
    expect(meantName(name, ['name', 'description', 'is_enabled', 'url', '搜索'])).toBe(meant);
  });

  it('reads letters of every script', () => {
    expect(meantName('天气', ['搜索'])).toBeUndefined();
    expect(meantName('ПОИСК', ['поиск'])).toBe('поиск');
  });

  it('takes the nearest, and the first of those that are as near', () => {
    expect(meantName('create_isue', ['create_issues', 'create_issue'])).toBe('create_issue');
    expect(meantName('close_x', ['close_a', 'close_b'])).toBe('close_a');
  });
});

describe('nearestNames', () => {
  const TOOLS = ['get_me', 'search_repositories', 'search_code', 'list_issues', 'issue_write', 'mergePullRequest'];
  it.each([
    ['get_issue', ['issue_write', 'list_issues', 'get_me']],
    ['list_isues', ['list_issues']],
    ['pull_request', ['mergePullRequest']],
    ['searchCode', ['search_code', 'search_repositories']],
    ['me', ['get_me']],
    ['weather', []],
    ['', []],
  ])('for %j they are %j', (name, nearest) => {
    expect(nearestNames(name, TOOLS, 3)).toEqual(nearest);
  });
});

describe('meantField', () => {
  it.each([
    ['limit', ['k', 'kinds'], 'k'],
    ['limit', ['max_results'], 'max_results'],
    ['kw', ['keyword', 'vector'], 'keyword'],
    ['summary', ['name', 'description'], 'description'],
    ['text', ['name', 'content'], 'content'],
    ['limit', ['name'], undefined],
  ])('takes %j for one of %j: %j', (name, fields, meant) => {
    expect(meantField(name, fields)).toBe(meant);
  });
});
