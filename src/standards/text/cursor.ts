import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';

/** An opaque cursor: the values after which the next page begins. */
export function toCursor(after: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(after)).toString('base64url');
}

/** The values of a cursor, one of each given kind. Throws INVALID_REQUEST for any other text. */
export function parseCursor<const K extends readonly ('string' | 'number')[]>(
  text: string,
  kinds: K,
  field: string,
): { readonly [I in keyof K]: K[I] extends 'string' ? string : number } {
  let after: unknown;
  try {
    after = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    after = undefined;
  }
  const fits =
    Array.isArray(after) &&
    after.length === kinds.length &&
    after.every((value, i) => typeof value === kinds[i]) &&
    toCursor(after) === text;
  if (fits) return after as unknown as { readonly [I in keyof K]: K[I] extends 'string' ? string : number };
  throw new DowserError('INVALID_REQUEST', `'${field}' is ${showValue(text)}, which is not a valid cursor.`, {
    field,
    hint: `Send the cursor of the previous page unchanged, or omit '${field}' for the first page.`,
  });
}
