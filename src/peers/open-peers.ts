import { setTimeout as pause } from 'node:timers/promises';
import type { Embedder, EmbedderState } from '../embedders/embedder.ts';
import type { Engine } from '../engines/engine.ts';
import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import type { AskedPeer, SearchResult } from '../model/answer/result.ts';
import { type Caller, hasRight } from '../model/caller/caller.ts';
import { type Entity, entityId, idOf } from '../model/entity.ts';
import { DowserError } from '../model/errors/errors.ts';
import { stated } from '../model/json/json-object.ts';
import type { SearchRequest } from '../model/query/query.ts';
import { MAX_RESULTS } from '../model/query/query.ts';
import type { PeerEntity, PeerFindings, PeerStatus, Peers } from '../registry/contract/peers.ts';
import { createRegistry } from '../registry/create-registry.ts';
import { identitiesIn } from '../registry/search/with-peers.ts';
import { openKeychain } from '../sources/secrets/keychain.ts';
import { fillIn } from '../sources/secrets/secret-references.ts';
import { ended, MAX_OF_PEER, Peer, type PeerSetting } from './ask-peer.ts';

export interface PeerParts {
  readonly peers: readonly PeerSetting[];
  readonly always: boolean;
  readonly timeoutMs: number;
  readonly embedder: Embedder | null;
  readonly embedderState: () => EmbedderState;
  /** Where references are filled in from. */
  readonly env: NodeJS.ProcessEnv;
}

/** The words of a stranger are no proof: an exact name that is registered here has 0.95, and stays first. */
export const MAX_PEER_CONFIDENCE = 0.9;

export function openPeers(parts: PeerParts): Peers {
  const { always, timeoutMs, env } = parts;
  const keychain = openKeychain({ env });
  const all = parts.peers.map(
    (setting) =>
      new Peer(setting, (reference) => fillIn(reference, { env, keychain, subject: `The peer '${setting.name}'` })),
  );
  const of = (caller: Caller) => all.filter(({ setting }) => mayAsk(setting, caller));
  return {
    always,
    mayAsk: (caller) => of(caller).length > 0,
    async ask(question, caller) {
      const until = AbortSignal.timeout(timeoutMs);
      const wanted = { ...question, max_results: Math.min(question.max_results, MAX_OF_PEER) };
      const answers = await Promise.all(
        of(caller).map(async (peer) => {
          const { state, found } = await peer.ask(wanted, until);
          const { name, url } = peer.setting;
          return { found, asked: { name, url, state, results: 0 } satisfies AskedPeer };
        }),
      );
      return { found: answers.flatMap(({ found }) => found), asked: answers.map(({ asked }) => asked), until };
    },
    score: (findings, request, units) => scoreFound(parts, findings, request, units),
    status: (caller) => of(caller).map(({ status }) => (isAdmin(caller) ? status : withoutError(status))),
  };
}

/** To read everything is no proof: an open server lets everyone do so over the network. */
const isAdmin = (caller: Caller): boolean => caller.readers === null && hasRight(caller, 'admin');

/** Callers without credentials have no peer asked: a stranger must not send queries through this server. */
function mayAsk({ groups }: PeerSetting, caller: Caller): boolean {
  const { readers, name } = caller;
  if (!hasRight(caller, 'read')) return false;
  if (isAdmin(caller)) return true;
  return groups === undefined ? name !== undefined : groups.some((group) => readers?.includes(`group:${group}`));
}

/** Why a peer did not answer is for admins. */
const withoutError = ({ error: _error, ...status }: PeerStatus): PeerStatus => status;

/**
 * Ranks what was found in a registry of its own that is gone afterwards, with the model, the preset and the filters of the request. So a
 * result of a peer gets what it would get here, and never more than the peer itself claims.
 */
async function scoreFound(
  { embedder, embedderState, timeoutMs }: PeerParts,
  { found, until }: Pick<PeerFindings, 'found' | 'until'>,
  request: SearchRequest,
  units: number,
): ReturnType<Peers['score']> {
  if (found.length === 0) return { results: [], warnings: [] };
  const registry = createRegistry({
    engine: amongUnits(new MemoryEngine({ embedder }), units),
    embedder: embedder === null ? null : borrowed(embedder, until),
    embedderState,
    version: '',
    dataPath: null,
    indexingWaitMs: timeoutMs,
    background: false,
  });
  try {
    const entities = inTurns(found).map(({ entity }) => entity);
    let [at, size] = [0, FIRST_ENTITIES];
    while (at < entities.length) {
      const vectors = until.aborted ? 'later' : 'now';
      await registry.putMany(entities.slice(at, at + size), { vectors });
      [at, size] = [at + size, Math.min(size * 2, MAX_ENTITIES_AT_ONCE)];
    }
    const { missing_vectors: missing } = (await registry.health()).index;
    const { results } = await registry.search(scored(request));
    const shown = bestOfEach(claimedAtMost(results, found, request)).slice(0, request.max_results);
    const warnings = await registry.instructionWarnings(shown.map(({ path }) => path));
    return { results: shown, warnings: embedder !== null && missing > 0 ? [...warnings, NOT_EMBEDDED] : warnings };
  } finally {
    await registry.close();
  }
}

/** Embedded together. What the deadline cuts off is lost, so these are few at first; then more, since each call of a remote model takes its time. */
const FIRST_ENTITIES = 2;
const MAX_ENTITIES_AT_ONCE = 16;

const NOT_EMBEDDED =
  'Not all texts of the peers were embedded in time: results of peers may be ranked by keyword only.';

/** The first of each peer, then the second of each: where the time ends, no peer has taken it from another. */
function inTurns(found: readonly PeerEntity[]): readonly PeerEntity[] {
  const counts = new Map<string, number>();
  const ranked = found.map((one) => {
    const rank = counts.get(one.origin.peer) ?? 0;
    counts.set(one.origin.peer, rank + 1);
    return { one, rank };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ one }) => one);
}

interface Scored {
  readonly result: SearchResult;
  readonly entity: Entity;
}

/** Best first. */
function claimedAtMost(
  results: readonly SearchResult[],
  found: readonly PeerEntity[],
  { min_confidence = 0 }: SearchRequest,
): readonly Scored[] {
  const known = new Map(found.map((one) => [idOf(one.entity.entity), one]));
  const own = results.flatMap((result) => {
    const one = known.get(entityId(result.entity_type, result.path));
    if (one === undefined) return [];
    const confidence = Math.min(result.confidence, one.claimed ?? 1, MAX_PEER_CONFIDENCE);
    const { origin, entity } = one;
    return confidence < min_confidence ? [] : [{ result: { ...result, confidence, origin }, entity: entity.entity }];
  });
  return own.sort((a, b) => b.result.confidence - a.result.confidence);
}

/** Of several peers that have the same thing, the best result. A name alone proves nothing: any peer can use the name of another's. */
function bestOfEach(scoredBest: readonly Scored[]): readonly SearchResult[] {
  const seen = new Set<string>();
  return scoredBest.flatMap(({ result, entity }) => {
    const identities = identitiesIn(entity).map((identity) => `${entity.type} ${identity}`);
    const isKnown = identities.some((identity) => seen.has(identity));
    for (const identity of isKnown ? [] : identities) seen.add(identity);
    return isKnown ? [] : [result];
  });
}

/** The fields of a request that say what fits and how it is ranked. */
function scored(request: SearchRequest) {
  const { query, entity_types, tags, include_draft, include_deprecated, include_disabled, explain } = request;
  const { statuses, preset, weights, rrf_k, where, searches, intent, query_vector } = request;
  const fixed = { query, entity_types, tags, include_draft, include_deprecated, include_disabled, explain };
  const given = stated({ statuses, preset, weights, rrf_k, where, searches, intent, query_vector });
  return { ...fixed, ...given, max_results: MAX_RESULTS };
}

/** How many texts there are to be the best of decides what a similarity means: those of this registry, and these. */
function amongUnits(engine: MemoryEngine, units: number): Engine {
  const { name, store, index, vectors, edges, replica, vectorServer } = engine;
  return {
    ...{ name, store, vectors, edges, replica, vectorServer },
    close: () => engine.close(),
    index: {
      version: null,
      names: (view) => index.names(view),
      stats: (...asked) => index.stats(...asked),
      retrieve: async (query) => {
        const retrieved = await index.retrieve(query);
        return { ...retrieved, evidence: { ...retrieved.evidence, units: retrieved.evidence.units + units } };
      },
    },
  };
}

/** A query has been embedded for this registry: its vector is at hand, also after the deadline. */
const QUERY_GRACE_MS = 100;

/** The registry of a moment closes it, and the other one goes on with it. It ends with the deadline, whatever the model does. */
function borrowed(embedder: Embedder, until: AbortSignal): Embedder {
  const { id, dimensions, language } = embedder;
  return {
    ...{ id, dimensions, language },
    async embed(texts, options) {
      if (options.as === 'query') return Promise.race([embedder.embed(texts, options), endedLater(until)]);
      const signal = options.signal === undefined ? until : AbortSignal.any([until, options.signal]);
      return Promise.race([embedder.embed(texts, { ...options, signal }), ended(signal)]);
    },
    close: async () => {},
  };
}

async function endedLater(until: AbortSignal): Promise<never> {
  await ended(until).catch(() => pause(QUERY_GRACE_MS));
  throw new DowserError('EMBEDDER_UNAVAILABLE', 'The embedding model did not answer in time.');
}
