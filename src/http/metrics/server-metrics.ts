import { ENTITY_TYPES } from '../../model/entity.ts';
import type { ErrorCode } from '../../model/errors/errors.ts';
import type { LocalRegistry } from '../../registry/contract/registry.ts';
import type { SearchStage, TimedSearch } from '../../registry/contract/search-steps.ts';
import type { ServerLoad } from '../load/server-load.ts';
import { errorTypeOf } from '../log/tracing.ts';
import { Prometheus } from './prometheus.ts';
import type { TimeTally, Total } from './tallies.ts';

const UPSTREAM_STATES = ['starting', 'ready', 'ending', 'paused'] as const;
const EMBEDDER_STATES = ['ready', 'loading', 'down', 'off'] as const;

/** The results of checks, by the error of the refused. `UNAUTHENTICATED` is told apart by whether credentials came. */
const REFUSALS: Partial<Record<ErrorCode, string>> = {
  INSUFFICIENT_SCOPE: 'insufficient_scope',
  FORBIDDEN: 'forbidden',
  AUTH_UNAVAILABLE: 'unavailable',
};

export interface MetricParts {
  /** Of everything: only those with the right may read the metrics. */
  readonly registry: Pick<LocalRegistry, 'health' | 'watchSearches' | 'watchCalls' | 'upstreams' | 'embeddingCache'>;
  readonly load: Pick<ServerLoad, 'report' | 'callers'>;
  readonly version: string;
}

export interface AnsweredRequest {
  readonly method: string;
  /** Undefined: no route has its path and method. */
  readonly route: string | undefined;
  readonly status: number;
  readonly ms: number;
}

export interface CheckedRequest {
  /** The error of the answer. */
  readonly code: ErrorCode | undefined;
  readonly hasCredentials: boolean;
  /** The caller is known and has the right. */
  readonly isAccepted: boolean;
}

interface RequestTally {
  readonly total: Total;
  readonly duration: TimeTally;
}

interface SearchTally {
  readonly duration: TimeTally;
  readonly stages: Map<SearchStage, TimeTally>;
}

/** What a server counts while it works, and what it reads when it is asked for metrics. */
export class ServerMetrics {
  readonly #parts: MetricParts;
  readonly #prometheus = new Prometheus();
  /** By method, route and status. */
  readonly #requests = new Map<string, RequestTally>();
  /** By preset and mode. */
  readonly #searches = new Map<string, SearchTally>();

  constructor(parts: MetricParts) {
    this.#parts = parts;
    parts.registry.watchSearches((timed) => this.#searched(timed));
    parts.registry.watchCalls(({ server, class: callClass, code = 'OK', sent_ms }) => {
      this.#prometheus.total('dowser_calls_total', { server, class: callClass, code }).count++;
      if (sent_ms === undefined) return;
      const labels = { mcp_method_name: 'tools/call', error_type: errorTypeOf(code) ?? '' };
      this.#prometheus.times('mcp_client_operation_duration_seconds', labels).observe(sent_ms / 1000);
    });
  }

  get contentType(): string {
    return this.#prometheus.contentType;
  }

  answered({ method, route, status, ms }: AnsweredRequest): void {
    const { total, duration } =
      route === undefined ? this.#requestTally('other', 'other', status) : this.#requestTally(method, route, status);
    total.count++;
    duration.observe(ms / 1000);
  }

  /** Counts how the check of a caller ended. A request that failed before its check is not counted. */
  checked({ code, hasCredentials, isAccepted }: CheckedRequest): void {
    const unknown = hasCredentials ? 'invalid_credentials' : 'missing_credentials';
    const refusal = code === 'UNAUTHENTICATED' ? unknown : code && REFUSALS[code];
    const result = refusal ?? (isAccepted ? 'accepted' : undefined);
    if (result !== undefined) this.#prometheus.total('dowser_auth_results_total', { result }).count++;
  }

  async text(): Promise<string> {
    this.#readLoad();
    await this.#readRegistry();
    return this.#prometheus.text();
  }

  #requestTally(method: string, route: string, status: number): RequestTally {
    const key = `${method} ${route} ${status}`;
    let tally = this.#requests.get(key);
    if (tally === undefined) {
      const labels = { method, route };
      tally = {
        total: this.#prometheus.total('dowser_http_requests_total', { ...labels, status: String(status) }),
        duration: this.#prometheus.times('dowser_http_request_duration_seconds', labels),
      };
      this.#requests.set(key, tally);
    }
    return tally;
  }

  #searched({ preset, mode, steps }: TimedSearch): void {
    const key = `${preset} ${mode}`;
    let tally = this.#searches.get(key);
    if (tally === undefined) {
      const duration = this.#prometheus.times('dowser_search_duration_seconds', { preset, mode });
      tally = { duration, stages: new Map() };
      this.#searches.set(key, tally);
    }
    for (let at = 0; at < steps.length; at++) {
      const { stage, from, until } = steps[at]!;
      let times = tally.stages.get(stage);
      if (times === undefined) {
        times = this.#prometheus.times('dowser_search_stage_duration_seconds', { stage, preset, mode });
        tally.stages.set(stage, times);
      }
      times.observe((until - from) / 1000);
    }
    tally.duration.observe((steps.at(-1)!.until - steps[0]!.from) / 1000);
  }

  #readLoad(): void {
    const { requests, body_bytes } = this.#parts.load.report();
    const prometheus = this.#prometheus;
    prometheus.set('dowser_info', { version: this.#parts.version }, 1);
    prometheus.set('dowser_requests_running', {}, requests.running);
    prometheus.set('dowser_requests_waiting', {}, requests.waiting);
    prometheus.total('dowser_requests_shed_total', {}).count = requests.refused;
    for (const limit of ['rate', 'in_flight'] as const) {
      prometheus.total('dowser_requests_limited_total', { limit }).count = this.#parts.load.callers.refused[limit];
    }
    prometheus.set('dowser_request_body_bytes', {}, body_bytes);
  }

  async #readRegistry(): Promise<void> {
    const { registry } = this.#parts;
    const { index, embedder, store, replica } = await registry.health();
    const prometheus = this.#prometheus;
    for (const state of EMBEDDER_STATES) {
      prometheus.set('dowser_embedder_state', { state }, embedder.state === state ? 1 : 0);
    }
    const cache = registry.embeddingCache();
    for (const kind of cache === null ? [] : (['query', 'document'] as const)) {
      prometheus.total('dowser_embedding_cache_hits_total', { kind }).count = cache![kind].hits;
      prometheus.total('dowser_embedding_cache_misses_total', { kind }).count = cache![kind].misses;
    }
    const upstreams = await registry.upstreams();
    for (const state of UPSTREAM_STATES) {
      prometheus.set('dowser_upstreams', { state }, upstreams.filter((one) => one.state === state).length);
    }
    for (const type of ENTITY_TYPES) prometheus.set('dowser_index_entities', { type }, index.by_type[type] ?? 0);
    prometheus.set('dowser_index_units', {}, index.units);
    prometheus.set('dowser_index_vectors', {}, index.vectors);
    prometheus.set('dowser_index_missing_vectors', {}, index.missing_vectors);
    prometheus.set('dowser_index_stale_vectors', {}, index.stale_vectors);
    prometheus.set('dowser_store_bytes', {}, store.bytes ?? 0);
    prometheus.set('dowser_replica_ready', {}, replica?.ready === false ? 0 : 1);
    prometheus.set('dowser_replica_behind_seconds', {}, (replica?.behind_ms ?? 0) / 1000);
  }
}
