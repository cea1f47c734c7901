import { DowserError } from '../model/errors.ts';

export const isNotFound = (thrown: unknown): thrown is DowserError =>
  thrown instanceof DowserError && thrown.code === 'NOT_FOUND';

/** The result, or undefined if there is no such entity. */
export function ifFound<T>(result: Promise<T>): Promise<T | undefined> {
  return result.catch((thrown: unknown) => {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  });
}
