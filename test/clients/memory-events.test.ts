import { expect, it } from 'vitest';
import { serveRegistry } from '../support/served-registry.ts';

/** Reads events as a client of the memory service does: names on `event:` lines, JSON on `data:` lines. */
async function* eventsOf(response: Response): AsyncGenerator<{ readonly name: string; readonly data: object }> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/s.exec(text.slice(0, end))!;
      yield { name: name!, data: JSON.parse(data!) as object };
      text = text.slice(end + 2);
    }
  }
}

it.each(['/api/events', '/sse/events'])(
  '%s follows stores, searches and deletes, until the server stops',
  async (path) => {
    const server = await serveRegistry();
    expect((await fetch(server.url + path, { method: 'HEAD' })).status).toBe(200);
    const response = await fetch(server.url + path);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = eventsOf(response);
    expect((await events.next()).value).toMatchObject({ name: 'heartbeat', data: { server_status: 'healthy' } });
    const { json } = await server.send('POST', '/api/memories', { content: 'The port is 8080', tags: ['ops'] });
    const content_hash = json.content_hash as string;
    await server.send('POST', '/api/search', { query: 'port' });
    await server.ask('DELETE', `/api/memories/${content_hash}`);
    const seen = [];
    for (let n = 0; n < 3; n++) seen.push((await events.next()).value);
    expect(seen).toMatchObject([
      {
        name: 'memory_stored',
        data: {
          event_type: 'memory_stored',
          content_hash,
          content: 'The port is 8080',
          tags: ['ops'],
          memory_type: null,
        },
      },
      { name: 'search_completed', data: { query: 'port', search_type: 'hybrid', results_count: 1 } },
      { name: 'memory_deleted', data: { event_type: 'memory_deleted', content_hash } },
    ]);
    const [ended] = await Promise.all([events.next(), server.close()]);
    expect(ended.done).toBe(true);
  },
);
