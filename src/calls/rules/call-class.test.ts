import { expect, it } from 'vitest';
import { classOf, isRepeatable, isWithin } from './call-class.ts';
import { proposedClass } from './proposed-class.ts';

it.each([
  [{ readOnlyHint: true }, 'read', true],
  [{ readOnlyHint: true, destructiveHint: false }, 'read', true],
  [{ readOnlyHint: true, destructiveHint: true }, 'destructive', false],
  [{ readOnlyHint: 'true' }, 'destructive', false],
  [{ destructiveHint: false }, 'write', false],
  [{ destructiveHint: false, idempotentHint: true }, 'write', true],
  [{ readOnlyHint: false }, 'destructive', false],
  [{ idempotentHint: true }, 'destructive', false],
  [{}, 'destructive', false],
  [undefined, 'destructive', false],
  [null, 'destructive', false],
  [[], 'destructive', false],
])('%j is %s', (annotations, expected, repeatable) => {
  expect(classOf(annotations)).toBe(expected);
  expect(isRepeatable(annotations, classOf(annotations))).toBe(repeatable);
});

it('is not repeated because an operator calls it read', () => {
  expect(isRepeatable({}, 'read')).toBe(false);
});

it('allows what is below the limit', () => {
  const all = ['read', 'write', 'destructive'] as const;
  const allowed = (limit: 'off' | (typeof all)[number]) => all.filter((callClass) => isWithin(callClass, limit));
  expect([allowed('off'), allowed('read'), allowed('write'), allowed('destructive')]).toEqual([
    [],
    ['read'],
    ['read', 'write'],
    [...all],
  ]);
});

it.each([
  ['get_issue', 'read'],
  ['listFiles', 'read'],
  ['search-nodes', 'read'],
  ['create_issue', 'write'],
  ['get_or_create_issue', 'destructive'],
  ['delete_file', 'destructive'],
  ['read_and_send', 'destructive'],
  ['frobnicate', 'destructive'],
  ['', 'destructive'],
])('a name proposes a class: %s', (name, expected) => {
  expect(proposedClass(name)).toBe(expected);
});
