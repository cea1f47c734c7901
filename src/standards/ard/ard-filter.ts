import { foldMediaType } from '../../model/ard-media-types.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { foldTag } from '../../model/query/filter.ts';
import { ARD_CONTEXT, type ArdSummary, identifierOf, publisherOf } from './ard-entry.ts';

/** The default namespace of ARD terms. */
const ARD_NAMESPACE = 'https://agenticresourcediscovery.org/ns#';

/** The terms for filters and facets, with their values in an entry. `publisher` comes from the identifier. */
const TERM_VALUES = {
  identifier: (summary, domain) => [identifierOf(summary, domain)],
  displayName: ({ displayName }) => [displayName],
  type: ({ type }) => [type],
  tags: ({ tags }) => tags,
  capabilities: ({ capabilities }) => capabilities,
  version: ({ version }) => (version === undefined ? [] : [version]),
  publisher: (summary, domain) => [publisherOf(summary, domain)],
  updatedAt: ({ updatedAt }) => [updatedAt],
  'metadata.entity_type': ({ metadata }) => [metadata.entity_type],
  'metadata.path': ({ metadata }) => [metadata.path],
  'metadata.status': ({ metadata }) => [metadata.status],
} as const satisfies Record<string, (summary: ArdSummary, domain: string) => readonly string[]>;
type ArdTerm = keyof typeof TERM_VALUES;
export const ARD_TERMS = Object.keys(TERM_VALUES) as readonly ArdTerm[];

/** One key of a filter. It matches any of its values. */
export interface ArdConstraint {
  readonly term: ArdTerm;
  readonly values: readonly string[];
}

/** Resolves a key through the query's `@context`: it may be a term, a prefixed term or an IRI. */
export function parseArdTerm(key: string, context: unknown, field: string): ArdTerm {
  const resolved = resolve(key, context);
  const term = ARD_TERMS.find((known) => known === resolved);
  if (term !== undefined) return term;
  throw new DowserError('INVALID_REQUEST', `'${field}' has the key ${showValue(key)}, which is not indexed.`, {
    field,
    hint: `Use one of ${ARD_TERMS.join(', ')}.`,
  });
}

function resolve(key: string, context: unknown): string {
  if (key.startsWith(ARD_NAMESPACE)) return key.slice(ARD_NAMESPACE.length);
  const colon = key.indexOf(':');
  if (colon === -1) return key;
  const prefix = key.slice(0, colon);
  for (const part of Array.isArray(context) ? context : [context]) {
    if (part === null || typeof part !== 'object' || !Object.hasOwn(part, prefix)) continue;
    const iri = `${(part as Record<string, unknown>)[prefix]}${key.slice(colon + 1)}`;
    if (iri.startsWith(ARD_NAMESPACE)) return iri.slice(ARD_NAMESPACE.length);
    if (iri.startsWith(`${ARD_CONTEXT}#`)) return iri.slice(ARD_CONTEXT.length + 1);
  }
  return key;
}

export function parseArdFilter(
  filter: Readonly<Record<string, string | readonly string[]>> | undefined,
  context: unknown,
): readonly ArdConstraint[] {
  return Object.entries(filter ?? {}).map(([key, values]) => ({
    term: parseArdTerm(key, context, `query.filter.${key}`),
    values: typeof values === 'string' ? [values] : values,
  }));
}

/** Tags ignore case, and a kind has several media types. */
const FOLDS: { readonly [T in ArdTerm]?: (text: string) => string } = { tags: foldTag, type: foldMediaType };

/** Every key must match, each with any of its values. */
export function matchesArdFilter(constraints: readonly ArdConstraint[], summary: ArdSummary, domain: string): boolean {
  return constraints.every(({ term, values }) => {
    const fold = FOLDS[term] ?? ((text: string) => text);
    const wanted = new Set(values.map(fold));
    return TERM_VALUES[term](summary, domain).some((value) => wanted.has(fold(value)));
  });
}

/** Counts the values of a term, most frequent first. `otherCount` counts entries that are only in buckets past the limit. */
export function countFacet(
  entries: readonly ArdSummary[],
  { term, limit, minCount }: { readonly term: ArdTerm; readonly limit: number; readonly minCount: number },
  domain: string,
) {
  const counts = new Map<string, number>();
  const valuesOf = entries.map((entry) => distinct(TERM_VALUES[term](entry, domain)));
  for (const values of valuesOf) for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const all = Array.from(counts, ([value, count]) => ({ value, count }))
    .filter(({ count }) => count >= minCount)
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  const buckets = all.slice(0, limit);
  if (all.length <= limit) return { buckets };
  const shown = new Set(buckets.map(({ value }) => value));
  const beyond = new Set(all.slice(limit).map(({ value }) => value));
  const otherCount = valuesOf.filter(
    (values) => values.some((value) => beyond.has(value)) && !values.some((value) => shown.has(value)),
  ).length;
  return { buckets, otherCount };
}

const distinct = (values: readonly string[]) => (values.length < 2 ? values : [...new Set(values)]);
