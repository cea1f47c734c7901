export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Each has few values: no id, no name of a caller and no text of a request is one. */
  readonly labels: readonly string[];
  readonly help: string;
  /** Of a histogram, in seconds. Default: from a search in memory to a client's time limit. */
  readonly buckets?: readonly number[];
}

/** Every metric of Dowser itself. Those of the process (`process_`, `nodejs_`) are prom-client's. */
export const METRICS = {
  dowser_info: { type: 'gauge', labels: ['version'], help: 'Always 1, with the version of the server.' },
  dowser_http_requests_total: {
    type: 'counter',
    labels: ['method', 'route', 'status'],
    help: 'Answered requests. The route is a template; unknown routes are `other`.',
  },
  dowser_http_request_duration_seconds: {
    type: 'histogram',
    labels: ['method', 'route'],
    help: 'Time from the head of a request to its answer, including the wait for its turn.',
  },
  dowser_requests_running: { type: 'gauge', labels: [], help: 'Running requests.' },
  dowser_requests_waiting: { type: 'gauge', labels: [], help: 'Waiting requests: the queue depth.' },
  dowser_requests_shed_total: {
    type: 'counter',
    labels: [],
    help: 'Requests that got status 503 because the server was busy.',
  },
  dowser_requests_limited_total: {
    type: 'counter',
    labels: ['limit'],
    help: 'Requests that got status 429. The limit is `rate` or `in_flight`.',
  },
  dowser_request_body_bytes: { type: 'gauge', labels: [], help: 'Memory that request bodies use, in bytes.' },
  dowser_auth_results_total: {
    type: 'counter',
    labels: ['result'],
    help: 'Authentication results: `accepted`, or why the request was refused.',
  },
  dowser_search_duration_seconds: {
    type: 'histogram',
    labels: ['preset', 'mode'],
    help: 'Time of a search. The mode is `hybrid` or `lexical-only`.',
  },
  dowser_search_stage_duration_seconds: {
    type: 'histogram',
    labels: ['stage', 'preset', 'mode'],
    help: 'Time of one stage of a search: `plan`, `embed`, `retrieve`, `graph`, `rank` or `answer`.',
  },
  dowser_embedder_state: {
    type: 'gauge',
    labels: ['state'],
    help: '1 for the state of the embedding model: `ready`, `loading`, `down` (the breaker is open) or `off`.',
  },
  dowser_embedding_cache_hits_total: {
    type: 'counter',
    labels: ['kind'],
    help: 'Texts whose vector was cached. The kind is `query` or `document`.',
  },
  dowser_embedding_cache_misses_total: {
    type: 'counter',
    labels: ['kind'],
    help: 'Texts that the model had to embed.',
  },
  dowser_calls_total: {
    type: 'counter',
    labels: ['server', 'class', 'code'],
    help: 'Calls of tools that were sent or tried. The code is `OK`, `TOOL_ERROR` or that of the failure.',
  },
  /** The name and the buckets of OpenTelemetry's conventions, as its exporters write them for Prometheus. */
  mcp_client_operation_duration_seconds: {
    type: 'histogram',
    labels: ['mcp_method_name', 'error_type'],
    help: 'Time from sending a call to a server to its answer. The error is empty, `tool_error` or the code of the failure.',
    buckets: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
  },
  dowser_upstreams: {
    type: 'gauge',
    labels: ['state'],
    help: 'Servers that run for calls: `starting`, `ready`, `ending`, or `paused` after failed starts.',
  },
  dowser_index_entities: { type: 'gauge', labels: ['type'], help: 'Entities, by type.' },
  dowser_index_units: { type: 'gauge', labels: [], help: 'Indexed units.' },
  dowser_index_vectors: { type: 'gauge', labels: [], help: 'Units with a vector.' },
  dowser_index_missing_vectors: { type: 'gauge', labels: [], help: 'Units that have no vector yet.' },
  dowser_index_stale_vectors: { type: 'gauge', labels: [], help: 'Vectors of another model, to be deleted.' },
  dowser_store_bytes: { type: 'gauge', labels: [], help: 'Size of the database, in bytes.' },
  dowser_replica_ready: {
    type: 'gauge',
    labels: [],
    help: '0 while this node is too far behind the shared record to get requests, else 1.',
  },
  dowser_replica_behind_seconds: {
    type: 'gauge',
    labels: [],
    help: 'How long ago the shared record confirmed that this node has every write.',
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof METRICS;
type NameOf<T extends MetricRow['type']> = {
  [N in MetricName]: (typeof METRICS)[N]['type'] extends T ? N : never;
}[MetricName];
export type CounterName = NameOf<'counter'>;
export type GaugeName = NameOf<'gauge'>;
export type HistogramName = NameOf<'histogram'>;
/** A value for each label of a metric. */
export type LabelsOf<N extends MetricName> = Readonly<Record<(typeof METRICS)[N]['labels'][number], string>>;
