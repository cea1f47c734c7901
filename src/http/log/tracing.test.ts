import * as api from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { parseSettings } from '../../config.ts';
import type { CallEvent } from '../../registry/contract/registry.ts';
import { createApp } from '../app.ts';
import { serverLoad } from '../load/server-load.ts';
import { createTracing, openTracing } from './tracing.ts';

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const HOST = { Host: 'localhost' };

beforeAll(() => provider.register());
afterEach(() => exporter.reset());
afterAll(async () => {
  await provider.shutdown();
  api.trace.disable();
  api.context.disable();
  api.propagation.disable();
});

async function tracedApp() {
  const registry = await memoryRegistry();
  await registry.put({ type: 'skill', path: '/merger', name: 'merger', description: 'merger' });
  return createApp({
    registry,
    version: '1',
    logger: { info() {}, warn() {}, error() {} },
    load: serverLoad(parseSettings({})),
    logQueryText: true,
    loopbackOnly: true,
    remoteWrites: false,
    tracing: createTracing(api, provider, '1'),
  });
}

const search = (query: string, headers: Record<string, string> = {}) =>
  new Request('http://localhost/api/search/semantic', {
    method: 'POST',
    headers: { ...HOST, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
const spans = () => exporter.getFinishedSpans();
const spanOf = (name: string) => spans().find((span) => span.name === name)!;

describe('a traced request', () => {
  it('is below the span that its traceparent names, with the search and its stages inside', async () => {
    const app = await tracedApp();
    await app.request(search('merger', { traceparent: `00-${TRACE}-${CALLER}-01` }));
    const request = spanOf('POST /api/search/semantic');
    expect([request.spanContext().traceId, request.parentSpanContext?.spanId]).toEqual([TRACE, CALLER]);
    expect(request.kind).toBe(api.SpanKind.SERVER);
    expect(request.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/api/search/semantic',
      'http.response.status_code': 200,
    });
    const found = spanOf('search');
    expect(found.parentSpanContext?.spanId).toBe(request.spanContext().spanId);
    expect(found.attributes).toEqual({ 'dowser.preset': 'hybrid', 'dowser.search_mode': 'lexical-only' });
    const stages = spans().filter((span) => span.parentSpanContext?.spanId === found.spanContext().spanId);
    expect(stages.map(({ name }) => name)).toEqual(['plan', 'embed', 'retrieve', 'graph', 'rank', 'answer']);
    expect(stages[0]!.startTime).toEqual(found.startTime);
    expect(stages.at(-1)!.endTime).toEqual(found.endTime);
  });

  it('begins a trace without one, and joins the span of this process if there is one', async () => {
    const app = await tracedApp();
    await app.request(search('merger'));
    expect(spanOf('POST /api/search/semantic').parentSpanContext).toBeUndefined();
    exporter.reset();
    await provider.getTracer('other').startActiveSpan('incoming', async (span) => {
      await app.request(search('merger', { traceparent: `00-${TRACE}-${CALLER}-01` }));
      expect(spanOf('POST /api/search/semantic').parentSpanContext?.spanId).toBe(span.spanContext().spanId);
    });
  });

  it('has nothing of what was asked', async () => {
    const app = await tracedApp();
    await app.request(search('merger'));
    await app.request('http://localhost/api/entities/skill/merger', { headers: HOST });
    await app.request('http://localhost/api/entities/skill/mergers?query=merger', { headers: HOST });
    await app.request('http://localhost/merger', { headers: HOST });
    const written = spans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    expect(written.length).toBeGreaterThan(8);
    expect(JSON.stringify(written)).not.toContain('merger');
    expect(spans().map(({ attributes }) => attributes['error.type'])).toContain('NOT_FOUND');
  });
});

it('a call of a tool that was sent is measured as the conventions for MCP say, without the name of the tool', () => {
  const recorded: unknown[] = [];
  const record = (value: number, attributes: object) => void recorded.push([value, attributes]);
  const createHistogram = (name: string, { unit }: { unit?: string } = {}) => {
    recorded.push([name, unit]);
    return { record };
  };
  api.metrics.setGlobalMeterProvider({ getMeter: () => ({ createHistogram }) } as never);
  const { called } = createTracing(api, provider, '1');
  const event = {
    phase: 'done',
    path: '/bad#echo',
    server: '/bad',
    class: 'read',
    definition: '',
  } as never as CallEvent;
  called({ ...event, code: 'OK', sent_ms: 1500 });
  called({ ...event, code: 'TOOL_ERROR', sent_ms: 20 });
  called({ ...event, code: 'TIMEOUT', sent_ms: 60_000 });
  called({ ...event, code: 'STARTING' });
  api.metrics.disable();
  const method = { 'mcp.method.name': 'tools/call' };
  expect(recorded).toEqual([
    ['mcp.client.operation.duration', 's'],
    [1.5, method],
    [0.02, { ...method, 'error.type': 'tool_error' }],
    [60, { ...method, 'error.type': 'TIMEOUT' }],
  ]);
});

describe('tracing', () => {
  it('is on if a variable of OpenTelemetry is set', async () => {
    expect(await openTracing({ OTEL_SERVICE_NAME: 'dowser' }, '1')).not.toBeNull();
    expect(await openTracing({ OTHER: 'x' }, '1')).toBeNull();
    expect(await openTracing({ OTEL_SERVICE_NAME: 'dowser', OTEL_SDK_DISABLED: 'true' }, '1')).toBeNull();
  });

  it('is off without the library', async () => {
    vi.doMock('@opentelemetry/api', () => {
      throw new Error('Cannot find package');
    });
    expect(await openTracing({ OTEL_SERVICE_NAME: 'dowser' }, '1')).toBeNull();
    vi.doUnmock('@opentelemetry/api');
  });
});
