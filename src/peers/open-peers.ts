import type { Embedder, EmbedderState } from '../embedders/embedder.ts';
import type { Engine } from '../engines/engine.ts';
import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import type { AskedPeer, SearchResult } from '../model/answer/result.ts';
import { type Caller, hasRight } from '../model/caller/caller.ts';
import { entityId, idOf } from '../model/entity.ts';
import { stated } from '../model/json/json-object.ts';
import type { SearchRequest } from '../model/query/query.ts';
import { MAX_RESULTS } from '../model/query/query.ts';
import type { PeerEntity, PeerStatus, Peers } from '../registry/contract/peers.ts';
import { createRegistry } from '../registry/create-registry.ts';
import { openKeychain } from '../sources/secrets/keychain.ts';
import { fillIn } from '../sources/secrets/secret-references.ts';
import { MAX_OF_PEER, Peer, type PeerSetting } from './ask-peer.ts';

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
      return { found: answers.flatMap(({ found }) => found), asked: answers.map(({ asked }) => asked) };
    },
    score: (found, request, units) => scoreFound(parts, found, request, units),
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
  found: readonly PeerEntity[],
  request: SearchRequest,
  units: number,
): ReturnType<Peers['score']> {
  if (found.length === 0) return { results: [], warnings: [] };
  const registry = createRegistry({
    engine: amongUnits(new MemoryEngine({ embedder }), units),
    embedder: embedder === null ? null : borrowed(embedder),
    embedderState,
    version: '',
    dataPath: null,
    indexingWaitMs: timeoutMs,
    background: false,
  });
  try {
    await registry.putMany(found.map(({ entity }) => entity));
    const { results } = await registry.search(scored(request));
    const known = new Map(found.map((one) => [idOf(one.entity.entity), one]));
    const { min_confidence = 0 } = request;
    const own = results.flatMap((result) => {
      const one = known.get(entityId(result.entity_type, result.path));
      if (one === undefined) return [];
      const confidence = Math.min(result.confidence, one.claimed ?? 1, MAX_PEER_CONFIDENCE);
      return confidence < min_confidence ? [] : [{ ...result, confidence, origin: one.origin }];
    });
    const shown = own.sort((a, b) => b.confidence - a.confidence);
    return { results: shown, warnings: await registry.instructionWarnings(paths(shown)) };
  } finally {
    await registry.close();
  }
}

const paths = (results: readonly SearchResult[]) => results.map(({ path }) => path);

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

/** The registry of a moment closes it, and the other one goes on with it. */
function borrowed(embedder: Embedder): Embedder {
  const { id, dimensions, language } = embedder;
  return { id, dimensions, language, embed: (...asked) => embedder.embed(...asked), close: async () => {} };
}
