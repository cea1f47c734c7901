import { isEntityType } from '../../model/entity.ts';
import { type ArdConstraint, parseArdTerm } from '../ard/ard-filter.ts';

type Values = string | string[];

/**
 * The MCP gateway registry filters ARD entries by its own type names (`mcp_server`), where ARD has media types. Those are the
 * values of another term here.
 */
export function toOwnFilter(filter: Readonly<Record<string, Values>> | undefined) {
  const pairs = Object.entries(filter ?? {}).map(([key, values]) => [ownTerm(key, values), values] as const);
  return filter === undefined ? undefined : Object.fromEntries(pairs);
}

function ownTerm(key: string, values: Values): string {
  const all = typeof values === 'string' ? [values] : values;
  return key === 'type' && all.length > 0 && all.every(isEntityType) ? 'metadata.entity_type' : key;
}

const PAIR = /^\s*([\w.:]+)=([^='"]*)$/;

/** Whether every filter is `key=value`, as the client of that registry sends it. Else they are expressions of ARD. */
export const arePairs = (filters: readonly string[]): boolean => filters.every((filter) => PAIR.test(filter));

/** `type=skill` and `tags=finance` as constraints. A repeated key matches any of its values. */
export function toConstraints(filters: readonly string[]): readonly ArdConstraint[] {
  const values = new Map<string, string[]>();
  for (const filter of filters) {
    const [, key = '', value = ''] = PAIR.exec(filter) ?? [];
    values.set(key, [...(values.get(key) ?? []), value.trim()]);
  }
  return Array.from(values, ([key, wanted]) => ({
    term: parseArdTerm(ownTerm(key, wanted), undefined, 'filter'),
    values: wanted,
  }));
}
