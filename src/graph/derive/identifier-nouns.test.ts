import { describe, expect, it } from 'vitest';
import { idNoun, readToolName } from './identifier-nouns.ts';

describe('the noun of an id', () => {
  it.each([
    ['issueId', 'issue'],
    ['project_ids', 'project'],
    ['issue_number', 'issue'],
    ['boardColumnID', 'column'],
    ['fileKey', 'file'],
    ['userUuid', 'user'],
    ['id', 'card'],
    ['ids', null],
    ['key', null],
    ['api_key', null],
    ['client_id', null],
    ['page_number', null],
    ['query', null],
    ['owner', null],
    ['', null],
  ])('%s of a tool about cards: %s', (field, noun) => {
    expect(idNoun(field, 'card')).toBe(noun);
  });
});

describe('the name of a tool', () => {
  it.each([
    ['list_issues', 'issue', null, 'found'],
    ['linear_createIssue', 'issue', null, 'made'],
    ['list_open_issues_for_user', 'issue', 'open', 'found'],
    ['getProjectByName', 'project', null, 'found'],
    ['issues_list', 'issue', null, 'found'],
    ['search-companies', 'company', null, 'found'],
    ['get_issue_details', 'issue', null, 'found'],
    ['delete_text_item', 'item', 'text', null],
    ['get', null, null, null],
    ['weather', null, null, null],
  ])('%s is about %s (%s), %s', (name, noun, modifier, gives) => {
    expect(readToolName(name)).toEqual({ noun, modifier, gives });
  });
});
