import type { Index } from '../../engines/index-port.ts';
import type { AskedPeer, SearchResponse, SearchResult } from '../../model/answer/result.ts';
import type { Caller } from '../../model/caller/caller.ts';
import { type Entity, type EntityType, isEntityType } from '../../model/entity.ts';
import { typesOfRole } from '../../model/entity-types/table.ts';
import { parseSearchRequest } from '../../model/query/parse-search-request.ts';
import type { SearchRequest, SearchRequestInput } from '../../model/query/query.ts';
import { barePath } from '../../model/text/bare-path.ts';
import type { PeerEntity, Peers } from '../contract/peers.ts';
import type { ViewRow } from '../contract/registry.ts';
import { type EntityRows, folded } from '../view/entity-view.ts';
import { identitiesOf } from '../view/identities.ts';

export interface PeerSearchParts {
  readonly peers: Peers | null;
  readonly caller: Caller;
  readonly index: Pick<Index, 'stats'>;
  /** What the caller may read: what peers have is compared with nothing else. */
  readonly view: EntityRows;
  readonly search: (request: SearchRequestInput) => Promise<SearchResponse>;
}

/** Memories and documents stay where they are. */
const PEER_TYPES: readonly EntityType[] = [...typesOfRole('capability'), ...typesOfRole('reference')];

/**
 * A search that also asks peers, beside the search of this registry. The answer of this registry stays as it is: only
 * `results` gets more, so that whatever a peer does, no result of this registry is lost, and none changes places with another.
 */
export async function searchWithPeers(parts: PeerSearchParts, input: SearchRequestInput): Promise<SearchResponse> {
  const { peers, caller } = parts;
  // Read before the request is parsed, which happens once in a search that asks no peer.
  const wanted = (input as SearchRequestInput | null | undefined)?.peers;
  if (wanted === undefined || wanted === false || (wanted === 'setting' && peers?.always !== true))
    return parts.search(input);
  const request = parseSearchRequest(input);
  const types = typesAsked(request);
  const why = peers === null || !peers.mayAsk(caller) ? NO_PEERS : whyNotAsked(request, types);
  if (peers === null || why !== null) {
    const answer = await parts.search(input);
    return request.peers === true ? { ...answer, warnings: [...answer.warnings, why!] } : answer;
  }
  const { query, tags, max_results } = request;
  const [answer, findings, { units }] = await Promise.all([
    parts.search(input),
    peers.ask({ query, tags, max_results, types }, caller),
    parts.index.stats(undefined, caller.readers ?? undefined),
  ]);
  const found = await withoutKnown(findings.found, parts.view);
  const scored = await peers.score({ found, until: findings.until }, request, units);
  return {
    ...answer,
    results: mergeResults(answer.results, scored.results, ({ confidence }) => confidence),
    peers: findings.asked.map((peer) => ({ ...peer, results: countOf(peer, scored.results) })),
    warnings: [...answer.warnings, ...silentPeers(findings.asked), ...scored.warnings],
  };
}

const NO_PEERS = "'peers' is not used: there are no peers that this caller may have asked.";

function typesAsked({ entity_types }: SearchRequest): readonly EntityType[] {
  if (entity_types === null) return PEER_TYPES;
  return entity_types.filter(isEntityType).filter((type) => PEER_TYPES.includes(type));
}

/** Null: they can be asked. */
function whyNotAsked(request: SearchRequest, types: readonly EntityType[]): string | null {
  const { query, offset = 0, paths, drifted, document, memory } = request;
  if (query.trim() === '') return "'peers' is not used: the request has no query.";
  if (offset > 0) return "'peers' is not used: peers are asked for the first page only.";
  if (types.length === 0) return "'peers' is not used: peers are not asked for memories and documents.";
  const own = paths !== undefined || drifted || document !== undefined || memory !== undefined;
  return own ? "'peers' is not used: the request has a filter that only this registry knows." : null;
}

const countOf = ({ name }: AskedPeer, shown: readonly SearchResult[]): number =>
  shown.filter(({ origin }) => origin?.peer === name).length;

const STATE_WORDS = {
  too_late: 'did not answer in time',
  failed: 'could not be asked',
  paused: 'failed before, and is not asked for a while',
} as const;

function silentPeers(asked: readonly AskedPeer[]): readonly string[] {
  return asked.flatMap(({ name, state }) =>
    state === 'answered' ? [] : [`The peer '${name}' ${STATE_WORDS[state]}. The other results do not depend on it.`],
  );
}

/**
 * One list. The results of this registry keep their order. One of a peer stands behind all of them that are at least as
 * confident, so a peer comes first only where this registry doubts the rest of its page.
 */
export function mergeResults<T>(local: readonly T[], peers: readonly T[], confidenceOf: (result: T) => number): T[] {
  /** The highest confidence from each place to the end. */
  const best: number[] = [];
  for (let at = local.length - 1; at >= 0; at--) best[at] = Math.max(confidenceOf(local[at]!), best[at + 1] ?? 0);
  const merged: T[] = [];
  const waiting = [...peers].sort((a, b) => confidenceOf(b) - confidenceOf(a));
  let next = 0;
  for (const [at, result] of local.entries()) {
    while (next < waiting.length && confidenceOf(waiting[next]!) > best[at]!) merged.push(waiting[next++]!);
    merged.push(result);
  }
  return [...merged, ...waiting.slice(next)];
}

/** What is known of one type: identities, and names with whether everything of that name has identities. */
interface Known {
  readonly identities: Set<string>;
  readonly names: Map<string, boolean>;
}

/**
 * Without what this registry has itself: by address, command, package or official name, or by its name where one of the two has none of
 * these. What peers say is not compared with each other here, where nothing is known of its worth.
 */
async function withoutKnown(found: readonly PeerEntity[], view: EntityRows): Promise<readonly PeerEntity[]> {
  const known = new Map<EntityType, Known>();
  for (const type of new Set(found.map(({ entity }) => entity.entity.type))) {
    const own = found.map(({ entity }) => entity.entity).filter((entity) => entity.type === type);
    known.set(type, knownOf(own, await view.rows(type)));
  }
  return found.filter(({ entity: { entity } }) => {
    const { identities, names } = known.get(entity.type)!;
    const name = folded(entity.name.trim());
    const own = identitiesIn(entity);
    const isNamed = names.has(name) && (own.length === 0 || names.get(name) === false);
    return !isNamed && !own.some((identity) => identities.has(identity));
  });
}

/** What these entities could be the same as, among all rows of their type. */
function knownOf(found: readonly Entity[], rows: readonly ViewRow[]): Known {
  const wanted = new Set(found.flatMap(identitiesIn));
  const wantedNames = new Set(found.map(({ name }) => folded(name.trim())));
  const known: Known = { identities: new Set(), names: new Map() };
  for (const { identities, packageName, path, name } of rows) {
    for (const identity of identities) if (wanted.has(identity)) known.identities.add(identity);
    const others = [`official name ${barePath(path)}`, ...(packageName === null ? [] : [`package ${packageName}`])];
    for (const identity of others) if (wanted.has(identity)) known.identities.add(identity);
    if (wantedNames.has(name)) noteName(known.names, name, identities.length > 0 || packageName !== null);
  }
  return known;
}

const noteName = (names: Map<string, boolean>, name: string, hasIdentities: boolean) =>
  names.set(name, (names.get(name) ?? true) && hasIdentities);

/** What only one entity of a type should have, also outside this registry. */
export function identitiesIn(entity: Entity): readonly string[] {
  const name = entity.type === 'package' ? folded(entity.package_name?.trim() ?? '') : '';
  return name === '' ? identitiesOf(entity) : [...identitiesOf(entity), `package ${name}`];
}
