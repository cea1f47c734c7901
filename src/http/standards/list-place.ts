import type { StandardInput } from '../../api/standards-contract.ts';
import { parseCursor, toCursor } from '../../standards/cursor.ts';

type ListQuery = StandardInput<'listServers'>['query'];

/** What a list of servers has to match. '' where nothing was asked. */
export interface ListFilter {
  readonly search: string;
  readonly updatedSince: string;
  readonly version: string;
  readonly withDeleted: boolean;
}

/** Where a page begins: after a version of a name, or after so many of the servers found by meaning. */
export interface ListPlace {
  readonly name: string;
  readonly version: string;
  readonly byMeaning: number;
}

export const LIST_START: ListPlace = { name: '', version: '', byMeaning: 0 };

/** Clients send the cursor alone for the next page, so it carries the filter too. */
export function toListCursor({ name, version, byMeaning }: ListPlace, filter: ListFilter): string {
  const { search, updatedSince, version: wanted, withDeleted } = filter;
  return toCursor([name, version, byMeaning, search, updatedSince, wanted, withDeleted ? 1 : 0]);
}

const KINDS = ['string', 'string', 'number', 'string', 'string', 'string', 'number'] as const;

/** The filter and the place of a request. Those of a cursor count more than the other parameters. */
export function parseListQuery(query: ListQuery): { readonly filter: ListFilter; readonly place: ListPlace } {
  const { cursor, search = '', updated_since = '', version = '', include_deleted } = query;
  // The official registry takes an empty cursor for none.
  if (cursor === undefined || cursor === '') {
    const withDeleted = include_deleted === undefined ? updated_since !== '' : include_deleted === 'true';
    return { filter: { search: search.trim(), updatedSince: updated_since, version, withDeleted }, place: LIST_START };
  }
  const [name, last, byMeaning, text, updatedSince, wanted, deleted] = parseCursor(cursor, KINDS, 'cursor');
  return {
    filter: { search: text, updatedSince, version: wanted, withDeleted: deleted === 1 },
    place: { name, version: last, byMeaning },
  };
}
