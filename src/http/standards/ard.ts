import { createHash } from 'node:crypto';
import type { RequestFacts, StandardHandlers, StandardInput } from '../../api/routes/standards-contract.ts';
import { entityId } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { MAX_OFFSET, MAX_RESULTS } from '../../model/query/query.ts';
import type { Registry } from '../../registry/contract/registry.ts';
import { splitAirIdentifier } from '../../standards/ard/air-identifier.ts';
import {
  type ArdEntry,
  type ArdPlace,
  type ArdSummary,
  type DiscoverableRecord,
  identifierOf,
  toArdEntry,
  toListedEntry,
} from '../../standards/ard/ard-entry.ts';
import { type EntryOrder, parseExpression, parseOrder } from '../../standards/ard/ard-expression.ts';
import {
  type ArdConstraint,
  countFacet,
  matchesArdFilter,
  parseArdFilter,
  parseArdTerm,
} from '../../standards/ard/ard-filter.ts';
import { toSearchFilter } from '../../standards/ard/ard-search-filter.ts';
import { toArtifact } from '../../standards/artifact.ts';
import { arePairs, toConstraints, toOwnFilter } from '../../standards/gateway/ard-filters.ts';
import { parseCursor, toCursor } from '../../standards/text/cursor.ts';
import { anyLength } from './any-length.ts';
import { byText, type Directory } from './directory.ts';

type ArdHandlers = Pick<
  StandardHandlers,
  'ardSearch' | 'ardExplore' | 'ardList' | 'ardGet' | 'ardArtifact' | 'gatewayArdSearch' | 'gatewayArdList'
>;
type ListQuery = Omit<StandardInput<'ardList'>['query'], 'filter'>;

export interface ArdParts {
  /** As a stranger may read it: requests have no identity yet. */
  readonly registry: Pick<Registry, 'search'>;
  readonly directory: Directory;
  readonly namespace: string;
  /** Other registries to ask. */
  readonly referrals: readonly ArdEntry[];
  readonly placeOf: (request: RequestFacts) => ArdPlace;
}

/** Of any publisher, whatever names it uses. */
const IDENTIFIER = /^urn:[a-z0-9-]+:[^:/]+[:/]./i;

/** Long enough to save repeated requests, short enough to show changes soon. */
const FRESH = 'public, max-age=60';

interface Scored {
  readonly summary: ArdSummary;
  readonly identifier: string;
  readonly score: number;
}

interface NamedEntry {
  readonly record: DiscoverableRecord;
  readonly summary: ArdSummary;
}

/** The routes of an ARD registry. Scores and the minimum confidence are those of every search. */
export function createArdHandlers({ registry, directory, namespace, referrals, placeOf }: ArdParts): ArdHandlers {
  /** The results of a query, best first. Search and explore share it, so that they agree. */
  async function matched(text: string, constraints: readonly ArdConstraint[], domain: string): Promise<Scored[]> {
    const { filter, rest } = toSearchFilter(constraints);
    const { entries, entryOf } = await directory.listing();
    if (filter === null || !entries.some((entry) => matchesArdFilter(constraints, entry, domain))) return [];
    const found: Scored[] = [];
    // Terms that the search cannot filter are checked page by page, so that no match is missed.
    for (let offset = 0; offset <= MAX_OFFSET && found.length < MAX_RESULTS; offset += MAX_RESULTS) {
      const page = rest.length === 0 ? {} : { offset };
      const request = { query: text, max_results: MAX_RESULTS, ...anyLength(text), ...filter, ...page };
      const { results } = await registry.search(request);
      for (const { entity_type, path, relevance_score } of results) {
        const summary = entryOf.get(entityId(entity_type, path));
        if (summary === undefined || !matchesArdFilter(rest, summary, domain)) continue;
        found.push({
          summary,
          identifier: identifierOf(summary, domain),
          score: Math.round(relevance_score * 100),
        });
      }
      if (rest.length === 0 || results.length < MAX_RESULTS) break;
    }
    return found.slice(0, MAX_RESULTS).sort((a, b) => b.score - a.score || byText(a.identifier, b.identifier));
  }

  async function entryNamed(identifier: string, { domain }: ArdPlace): Promise<NamedEntry> {
    if (!IDENTIFIER.test(identifier)) {
      throw new DowserError('INVALID_REQUEST', `${showValue(identifier)} is not an ARD identifier.`, {
        field: 'identifier',
        hint: 'Use urn:air:<domain>:<namespace>:<name>, percent-encoded as one segment of the URL.',
      });
    }
    const { entryAt } = await directory.listing();
    const parts = splitAirIdentifier(identifier);
    // An entry of this registry comes first: no publisher elsewhere can take its identifier.
    const own = parts?.domain === domain ? entryAt.get(parts.key) : undefined;
    const summary = own ?? entryAt.get(identifier);
    const record = summary === undefined ? undefined : await directory.read(summary);
    if (summary !== undefined && record !== undefined) return { record, summary };
    throw new DowserError('NOT_FOUND', `Entry ${showValue(identifier)} not found.`, {
      hint: `Identifiers are case-sensitive. Those of this registry begin with urn:air:${domain}:.`,
    });
  }

  /** One page of the entries that match. */
  async function listed(
    matches: (entry: ArdSummary, domain: string) => boolean,
    { orderBy, pageSize, pageToken }: ListQuery,
    place: ArdPlace,
  ) {
    const order = parseOrder(orderBy);
    const compare = comparison(order);
    const all = (await directory.listing()).entries.filter((entry) => matches(entry, place.domain));
    const places = all
      .map((entry) => ({ entry, at: placeIn(order, entry, place.domain) }))
      .sort((a, b) => compare(a.at, b.at));
    const mark = pageToken === undefined ? undefined : parseCursor(pageToken, ['string', 'string'], 'pageToken');
    const rest = mark === undefined ? places : places.filter(({ at }) => compare(at, mark) > 0);
    const page = rest.slice(0, pageSize);
    const last = page.at(-1);
    return {
      status: 200 as const,
      body: {
        items: page.map(({ entry }) => toListedEntry(entry, place)),
        total: all.length,
        ...(last === undefined || rest.length <= page.length ? {} : { pageToken: toCursor([...last.at]) }),
      },
    };
  }

  const handlers: Omit<ArdHandlers, 'gatewayArdSearch' | 'gatewayArdList'> = {
    async ardSearch({ body }, request) {
      const { domain, ardUrl } = placeOf(request);
      const { text, filter, '@context': context } = body.query;
      const found = await matched(text, parseArdFilter(filter, context), domain);
      const rest = body.pageToken === undefined ? found : after(found, body.pageToken);
      const page = rest.slice(0, body.pageSize);
      const last = page.at(-1);
      return {
        status: 200,
        body: {
          results: page.map(({ summary, score }) => ({
            ...toListedEntry(summary, { domain, ardUrl }),
            score,
            source: ardUrl,
          })),
          ...(body.federation === 'referrals' || (body.federation === 'auto' && referrals.length > 0)
            ? { referrals: [...referrals] }
            : {}),
          ...(last === undefined || rest.length <= page.length
            ? {}
            : { pageToken: toCursor([last.score, last.identifier]) }),
        },
      };
    },
    async ardExplore({ body }, request) {
      const { domain } = placeOf(request);
      const { text, filter, '@context': context } = body.query;
      const constraints = parseArdFilter(filter, context);
      const facets = body.resultType.facets.map(({ field, limit, minCount }, at) => ({
        field,
        request: { term: parseArdTerm(field, context, `resultType.facets.${at}.field`), limit, minCount },
      }));
      const entries =
        text === undefined
          ? (await directory.listing()).entries.filter((entry) => matchesArdFilter(constraints, entry, domain))
          : (await matched(text, constraints, domain)).map(({ summary }) => summary);
      const counted = facets.map(({ field, request }) => [field, countFacet(entries, request, domain)] as const);
      return { status: 200, body: { resultType: 'facets', facets: Object.fromEntries(counted) } };
    },
    ardList: ({ query }, request) => listed(parseExpression(query.filter), query, placeOf(request)),
    async ardGet({ params }, request) {
      const place = placeOf(request);
      const { record, summary } = await entryNamed(params.identifier, place);
      const body = toArdEntry(record, place, summary);
      const headers = { ETag: etagOf(JSON.stringify(body)), 'Cache-Control': FRESH };
      return { status: 200, body, headers };
    },
    async ardArtifact({ params }, request) {
      const { entity } = (await entryNamed(params.identifier, placeOf(request))).record;
      const { mediaType, text } = toArtifact(entity, namespace);
      const headers = { ETag: etagOf(text), 'Cache-Control': FRESH, 'Content-Type': mediaType };
      return { status: 200, body: text, headers };
    },
  };
  return {
    ...handlers,
    gatewayArdSearch({ body }, request) {
      const { filter, ...query } = body.query;
      const own = toOwnFilter(filter);
      return handlers.ardSearch(
        { body: { ...body, query: own === undefined ? query : { ...query, filter: own } } },
        request,
      );
    },
    async gatewayArdList({ query }, request) {
      const filters = query.filter ?? [];
      if (!arePairs(filters)) return listed(parseExpression(filters.join(' AND ')), query, placeOf(request));
      const constraints = toConstraints(filters);
      return listed((entry, domain) => matchesArdFilter(constraints, entry, domain), query, placeOf(request));
    },
  };
}

function after(found: readonly Scored[], token: string): readonly Scored[] {
  const [score, identifier] = parseCursor(token, ['number', 'string'], 'pageToken');
  return found.filter((item) => item.score < score || (item.score === score && item.identifier > identifier));
}

type Mark = readonly [string, string];

const placeIn = ({ by }: EntryOrder, entry: ArdSummary, domain: string): Mark => [
  by === 'key' ? identifierOf(entry, domain) : entry[by],
  entry.key,
];

/** Ties are broken by key, ascending, so that the order is total. */
function comparison({ descending }: EntryOrder): (a: Mark, b: Mark) => number {
  const sign = descending ? -1 : 1;
  return (a, b) => sign * byText(a[0], b[0]) || byText(a[1], b[1]);
}

function etagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}
