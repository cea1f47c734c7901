import { ENTITY_TYPES } from '../../model/entity.ts';
import type { ErrorCode } from '../../model/errors.ts';
import type { LocalRegistry } from '../../registry/registry.ts';
import type { TimedSearch } from '../../registry/search/search-steps.ts';
import type { ServerLoad } from '../server-load.ts';
import { Prometheus } from './prometheus.ts';

const EMBEDDER_STATES = ['ready', 'loading', 'down', 'off'] as const;

/** The results of checks, by the error of the refused. `UNAUTHENTICATED` is told apart by whether credentials came. */
const REFUSALS: Partial<Record<ErrorCode, string>> = {
  INSUFFICIENT_SCOPE: 'insufficient_scope',
  FORBIDDEN: 'forbidden',
  AUTH_UNAVAILABLE: 'unavailable',
};

export interface MetricParts {
  /** Of everything: only those with the right may read the metrics. */
  readonly registry: Pick<LocalRegistry, 'health' | 'watchSearches' | 'embeddingCache'>;
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

/** What a server counts while it works, and what it reads when it is asked for metrics. */
export class ServerMetrics {
  readonly #parts: MetricParts;
  readonly #prometheus = new Prometheus();

  constructor(parts: MetricParts) {
    this.#parts = parts;
    parts.registry.watchSearches((timed) => this.#searched(timed));
  }

  get contentType(): string {
    return this.#prometheus.contentType;
  }

  answered({ method, route, status, ms }: AnsweredRequest): void {
    const labels = route === undefined ? { method: 'other', route: 'other' } : { method, route };
    this.#prometheus.add('dowser_http_requests_total', { ...labels, status: String(status) });
    this.#prometheus.observe('dowser_http_request_duration_seconds', labels, ms / 1000);
  }

  /** Counts how the check of a caller ended. A request that failed before its check is not counted. */
  checked({ code, hasCredentials, isAccepted }: CheckedRequest): void {
    const unknown = hasCredentials ? 'invalid_credentials' : 'missing_credentials';
    const refusal = code === 'UNAUTHENTICATED' ? unknown : code && REFUSALS[code];
    const result = refusal ?? (isAccepted ? 'accepted' : undefined);
    if (result !== undefined) this.#prometheus.add('dowser_auth_results_total', { result });
  }

  async text(): Promise<string> {
    this.#readLoad();
    await this.#readRegistry();
    return this.#prometheus.text();
  }

  #searched({ preset, mode, steps }: TimedSearch): void {
    for (let at = 0; at < steps.length; at++) {
      const { stage, from, until } = steps[at]!;
      this.#prometheus.observe('dowser_search_stage_duration_seconds', { stage, preset, mode }, (until - from) / 1000);
    }
    const seconds = (steps.at(-1)!.until - steps[0]!.from) / 1000;
    this.#prometheus.observe('dowser_search_duration_seconds', { preset, mode }, seconds);
  }

  #readLoad(): void {
    const { requests, body_bytes } = this.#parts.load.report();
    const prometheus = this.#prometheus;
    prometheus.set('dowser_info', { version: this.#parts.version }, 1);
    prometheus.set('dowser_requests_running', {}, requests.running);
    prometheus.set('dowser_requests_waiting', {}, requests.waiting);
    prometheus.setTotal('dowser_requests_shed_total', {}, requests.refused);
    for (const limit of ['rate', 'in_flight'] as const) {
      prometheus.setTotal('dowser_requests_limited_total', { limit }, this.#parts.load.callers.refused[limit]);
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
      prometheus.setTotal('dowser_embedding_cache_hits_total', { kind }, cache![kind].hits);
      prometheus.setTotal('dowser_embedding_cache_misses_total', { kind }, cache![kind].misses);
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
