import { describe, expect, it } from 'vitest';
import { DowserError } from '../../model/errors/errors.ts';
import { ifFound } from './if-found.ts';

describe('ifFound', () => {
  it('returns the result', async () => {
    expect(await ifFound(Promise.resolve(0))).toBe(0);
  });

  it('returns undefined for a missing entity', async () => {
    expect(await ifFound(Promise.reject(new DowserError('NOT_FOUND', 'Nothing here.')))).toBeUndefined();
  });

  it.each([new DowserError('INVALID_REQUEST', 'No.'), new Error('broken')])(
    'throws any other error: %s',
    async (error) => {
      await expect(ifFound(Promise.reject(error))).rejects.toBe(error);
    },
  );
});
