import type { Context, Span, TracerProvider } from '@opentelemetry/api';
import type { ErrorCode } from '../../model/errors/errors.ts';
import type { CallEvent } from '../../registry/contract/registry.ts';
import type { TimedSearch } from '../../registry/contract/search-steps.ts';

type Api = typeof import('@opentelemetry/api');

/** A request after its answer. It has nothing of its URL but the template of its route. */
export interface TracedRequest {
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly code: ErrorCode | undefined;
}

/** Traces and one metric of OpenTelemetry. No span has the text of a query or the path of an entity. */
export interface Tracing {
  /** Runs a request inside a span of its own, below the span that its headers name. */
  request(headers: Headers, work: () => Promise<TracedRequest>): Promise<void>;
  /** Adds an ended search, with its stages, to the span of the request that asked. */
  searched(timed: TimedSearch): void;
  /** Measures a call of a tool that was sent to its server, as the metric `mcp.client.operation.duration`. */
  called(event: CallEvent): void;
}

/**
 * Null, unless a variable of OpenTelemetry is set and its API is installed. The API does nothing by itself: the one who starts
 * this process loads an SDK, which reads the same variables.
 */
export async function openTracing(env: NodeJS.ProcessEnv, version: string): Promise<Tracing | null> {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return null;
  if (!Object.keys(env).some((name) => name.startsWith('OTEL_'))) return null;
  const api = await import('@opentelemetry/api').catch(() => null);
  return api === null ? null : createTracing(api, api.trace.getTracerProvider(), version);
}

export function createTracing(api: Api, provider: TracerProvider, version: string): Tracing {
  const tracer = provider.getTracer('dowser', version);
  const calls = api.metrics.getMeter('dowser', version).createHistogram('mcp.client.operation.duration', {
    description: 'Time from sending a call to a server to its answer',
    unit: 's',
  });
  return {
    request(headers, work) {
      const parent = parentOf(api, headers);
      const span = tracer.startSpan('request', { kind: api.SpanKind.SERVER }, parent);
      return api.context.with(api.trace.setSpan(parent, span), async () => {
        try {
          describe(api, span, await work());
        } finally {
          span.end();
        }
      });
    },
    searched({ preset, mode, steps }) {
      const current = api.context.active();
      if (api.trace.getSpan(current)?.isRecording() !== true) return;
      const attributes = { 'dowser.preset': preset, 'dowser.search_mode': mode };
      const search = tracer.startSpan('search', { startTime: epoch(steps[0]!.from), attributes }, current);
      const inside = api.trace.setSpan(current, search);
      for (const { stage, from, until } of steps) {
        tracer.startSpan(stage, { startTime: epoch(from) }, inside).end(epoch(until));
      }
      search.end(epoch(steps.at(-1)!.until));
    },
    called({ code = 'OK', sent_ms }) {
      if (sent_ms === undefined) return;
      const error = errorTypeOf(code);
      calls.record(sent_ms / 1000, {
        'mcp.method.name': 'tools/call',
        ...(error === undefined ? {} : { 'error.type': error }),
      });
    },
  };
}

/** As OpenTelemetry's conventions for MCP name it: undefined for an answer without an error. */
export const errorTypeOf = (code: string): string | undefined =>
  code === 'OK' ? undefined : code === 'TOOL_ERROR' ? 'tool_error' : code;

/** A span of this process, such as that of an instrumentation of HTTP, has read the headers already. */
function parentOf({ context, trace, propagation }: Api, headers: Headers): Context {
  const current = context.active();
  if (trace.getSpan(current) !== undefined) return current;

  return propagation.extract(current, headers, {
    get: (carrier, key) => carrier.get(key) ?? undefined,
    keys: (carrier) => [...carrier.keys()],
  });
}

function describe({ SpanStatusCode }: Api, span: Span, { method, route, status, code }: TracedRequest): void {
  if (route !== undefined) {
    span.updateName(`${method} ${route}`);
    span.setAttributes({ 'http.request.method': method, 'http.route': route });
  }
  span.setAttribute('http.response.status_code', status);
  if (code !== undefined) span.setAttribute('error.type', code);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}

/** From `performance.now` to milliseconds since 1970. */
const epoch = (ms: number): number => performance.timeOrigin + ms;
