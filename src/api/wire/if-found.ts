import { DowserError } from '../../model/errors/errors.ts';

export const isNotFound = (thrown: unknown): thrown is DowserError =>
  thrown instanceof DowserError && thrown.code === 'NOT_FOUND';

/** The result, or undefined if there is no such entity. Then `onMissing` gets the error, with what may be meant. */
export function ifFound<T>(
  result: Promise<T>,
  onMissing: (error: DowserError) => void = () => {},
): Promise<T | undefined> {
  return result.catch((thrown: unknown) => {
    if (!isNotFound(thrown)) throw thrown;
    onMissing(thrown);
    return undefined;
  });
}
