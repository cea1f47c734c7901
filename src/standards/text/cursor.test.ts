import { describe, expect, it } from 'vitest';
import { parseCursor, toCursor } from './cursor.ts';

describe('parseCursor', () => {
  it('returns the values of the cursor', () => {
    expect(parseCursor(toCursor([7, 'ü/"']), ['number', 'string'], 'cursor')).toEqual([7, 'ü/"']);
  });

  it.each([
    '',
    'nonsense',
    toCursor(['a']),
    toCursor(['a', 'b', 'c']),
    `${toCursor([1, 'b'])}=`,
    'null',
    toCursor(['1', 'b']),
  ])('refuses %j', (text) => {
    expect(() => parseCursor(text, ['number', 'string'], 'cursor')).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', field: 'cursor' }),
    );
  });
});
