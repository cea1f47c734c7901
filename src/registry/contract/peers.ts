import type { AskedPeer, SearchResult } from '../../model/answer/result.ts';
import type { Caller } from '../../model/caller/caller.ts';
import type { EntityType, ParsedEntity } from '../../model/entity.ts';
import type { SearchRequest } from '../../model/query/query.ts';

/** What leaves this process for a peer. */
export interface PeerQuestion extends Pick<SearchRequest, 'query' | 'tags' | 'max_results'> {
  readonly types: readonly EntityType[];
}

/** What a peer found, as an entity that is not stored. Its path begins with `peer:` and the name of the peer. */
export interface PeerEntity {
  readonly entity: ParsedEntity;
  readonly origin: NonNullable<SearchResult['origin']>;
  /** The confidence that the peer claims. Null: it claims none. */
  readonly claimed: number | null;
}

export interface PeerFindings {
  /** Peer by peer in the order of the setting, in each the best first. */
  readonly found: readonly PeerEntity[];
  /** Of each peer that the caller may have asked. `results` is 0. */
  readonly asked: readonly AskedPeer[];
  /** Aborted at the deadline, which holds for asking and scoring together. */
  readonly until: AbortSignal;
}

export interface PeerStatus extends Pick<AskedPeer, 'name' | 'url'> {
  readonly kind: string;
  /** `unknown`: it was not asked since the start. */
  readonly state: AskedPeer['state'] | 'unknown';
  /** Why it did not answer the last time. For admins. */
  readonly error?: string;
}

/**
 * Other registries that the operator named. Each is asked within a deadline, and none can fail a search: what a peer does costs only its
 * own results. Nothing that a peer says is stored.
 */
export interface Peers {
  /** Whether a search asks them if its request leaves that to the setting. */
  readonly always: boolean;
  /** Whether there is one that this caller may have asked. */
  mayAsk(caller: Caller): boolean;
  /** Asks those that the caller may have asked, in parallel. Never throws, and ends at the deadline. */
  ask(question: PeerQuestion, caller: Caller): Promise<PeerFindings>;
  /**
   * Scores what was found by this registry's own ranking, so that one scale holds, whatever a peer claims. `units`: how many this
   * registry has, for the confidence. Best first, as many as the request wants, and of several that are the same the best one. `warnings`
   * names texts that read like instructions, and says what the deadline left out.
   */
  score(
    findings: Pick<PeerFindings, 'found' | 'until'>,
    request: SearchRequest,
    units: number,
  ): Promise<{ readonly results: readonly SearchResult[]; readonly warnings: readonly string[] }>;
  /** Of those that the caller may have asked. */
  status(caller: Caller): readonly PeerStatus[];
}
