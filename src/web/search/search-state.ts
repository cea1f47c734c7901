import type { SearchBody } from '../data/api.ts';
import { hrefOf } from '../data/navigation.ts';

/** What is asked, as the address of the page has it. */
export interface SearchState {
  readonly query: string;
  readonly types: readonly string[];
  readonly tags: readonly string[];
  /** Of `draft`, `deprecated`, `disabled`. */
  readonly include: readonly string[];
  /** Empty: the default of the server. */
  readonly preset: string;
  readonly isGrouped: boolean;
  /** Also what hardly matches. */
  readonly isWeak: boolean;
  /** From 1. */
  readonly page: number;
}

export const PAGE_SIZE = 20;
/** The API has no deeper page. */
export const MAX_PAGES = 23;

const listOf = (text: string | null): readonly string[] => (text === null || text === '' ? [] : text.split(','));

export function readState(query: URLSearchParams): SearchState {
  const page = Number(query.get('page') ?? '1');
  return {
    query: query.get('q') ?? '',
    types: listOf(query.get('type')),
    tags: query.getAll('tag').filter((tag) => tag !== ''),
    include: listOf(query.get('include')),
    preset: query.get('preset') ?? '',
    isGrouped: query.get('view') === 'grouped',
    isWeak: query.get('weak') === '1',
    page: Number.isInteger(page) ? Math.min(MAX_PAGES, Math.max(1, page)) : 1,
  };
}

export function stateHref(state: SearchState, path = '/'): string {
  const { query, types, tags, include, preset, isGrouped, isWeak, page } = state;
  const base = hrefOf(path, {
    q: query,
    type: types.join(','),
    include: include.join(','),
    preset,
    view: isGrouped ? 'grouped' : '',
    weak: isWeak ? '1' : '',
    page: page === 1 ? '' : String(page),
  });
  const rest = tags.map((tag) => `tag=${encodeURIComponent(tag)}`).join('&');
  if (rest === '') return base;
  return `${base}${base.includes('?') ? '&' : '?'}${rest}`;
}

/** Nothing is asked yet: the page shows what there is. */
export const isEmpty = ({ query, types, tags }: SearchState): boolean =>
  query.trim() === '' && types.length === 0 && tags.length === 0;

export function requestOf({ query, types, tags, include, preset, page }: SearchState): SearchBody {
  return {
    query: query.trim() === '' && tags.length === 0 ? '*' : query,
    entity_types: types.length === 0 ? null : [...types],
    tags: tags.length === 0 ? null : [...tags],
    include_draft: include.includes('draft'),
    include_deprecated: include.includes('deprecated'),
    include_disabled: include.includes('disabled'),
    max_results: PAGE_SIZE,
    offset: (page - 1) * PAGE_SIZE,
    ...(preset === '' ? {} : { preset }),
  };
}

export const toggled = (list: readonly string[], item: string): readonly string[] =>
  list.includes(item) ? list.filter((one) => one !== item) : [...list, item];

/** Whether a query has words. Tags alone, or `*`, match for certain. */
export const hasWords = (query: string): boolean =>
  query.split(/\s+/).some((word) => word !== '' && word !== '*' && !word.startsWith('#'));
