import { describe, expect, it } from 'vitest';
import { actionsOfDescription, actionsOfTool, CREATE, DELETE, GET, LIST, SEARCH, UPDATE } from './action-words.ts';

describe('actionsOfDescription', () => {
  it.each([
    ['Read logs of pods.', GET],
    ['Reads logs of pods.', GET],
    ['Fetches a page', GET],
    ['Returns the page as a tree.', GET],
    ['List recent commits with author and date.', LIST],
    ['Searches the schema for types', SEARCH],
    ['Restart, undo or watch a rollout.', 0],
    ['Create or update a document.', CREATE | UPDATE],
    ['Get, create, and delete labels', GET | CREATE | DELETE],
    ['delete/rename a file', DELETE | UPDATE],
    ['List, open, select or close tabs.', 0],
    ['Set a field of a hash.', 0],
    ['Switch the working tree to another branch.', 0],
    ['Listing of things', 0],
    ['', 0],
  ])('%s', (description, expected) => {
    expect(actionsOfDescription(description)).toBe(expected);
  });

  it('reads the first words of a long text only', () => {
    expect(actionsOfDescription(`list${' or list'.repeat(100_000)} or open`)).toBe(LIST);
  });
});

it('reads the description of a tool only if its name does not tell', () => {
  const unread = () => {
    throw new Error('read');
  };
  expect(actionsOfTool('delete_pod', unread)).toBe(DELETE);
  expect(actionsOfTool('pod_logs', () => 'Read logs of pods.')).toBe(GET);
});
