import { expect, it } from 'vitest';
import { accessAfter, type SourceAccess } from './source-access.ts';

/** `public`, `private` or groups with commas, and `off` for a disabled entity. */
function access(text: string): SourceAccess {
  const [readers = '', off] = text.split(' ');
  const is_enabled = off === undefined;
  if (readers === 'public' || readers === 'private') return { visibility: readers, allowed_groups: [], is_enabled };
  return { visibility: 'group-restricted', allowed_groups: readers.split(','), is_enabled };
}

it.each([
  // Nobody has changed it here: it follows, in both directions.
  ['public', 'a,b', 'public', 'a,b'],
  ['a,b', 'public', 'b,a', 'public'],
  ['a', 'private', 'a', 'private'],
  ['public off', 'public', 'public off', 'public'],
  ['public', 'public off', 'public', 'public off'],
  // Changed here: never more readers than the source gives.
  ['private', 'public', 'public', 'private'],
  ['a', 'public', 'public', 'a'],
  ['public', 'a', 'a,b', 'a'],
  ['a,b', 'b,c', 'public', 'b'],
  ['a', 'b', 'public', 'private'],
  ['a', 'private', 'public', 'private'],
  ['public off', 'public', 'public', 'public off'],
  ['public', 'public off', 'public off', 'public off'],
])('stored %s, said %s, before %s: %s', (stored, said, before, after) => {
  expect(accessAfter(access(stored), access(said), access(before))).toEqual(access(after));
});

it('takes fewer readers where the source has never spoken', () => {
  expect(accessAfter(access('public'), access('a off'), undefined)).toEqual(access('a off'));
  expect(accessAfter(access('a'), access('public'), undefined)).toEqual(access('a'));
});
