import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseWith } from '../../src/model/parse/parse.ts';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';
import { MODELS } from './client-models.ts';

let served: ServedRegistry;
beforeEach(async () => {
  served = await serveRegistry();
});
afterEach(() => served.close());

const card = (name: string) => ({ name, description: 'x', url: `https://${name}.example.com`, version: '1' });
const ended = async (id: string) => {
  await expect
    .poll(async () => (await served.ask('GET', `/api/agents/batch/${id}`)).json.next_index)
    .toBe((await served.ask('GET', `/api/agents/batch/${id}`)).json.total);
  return (await served.ask('GET', `/api/agents/batch/${id}`)).json;
};

describe('CL-9: a batch of agent operations', () => {
  it('runs each operation as on its own route, and reports each', async () => {
    const items = [
      { op: 'register', card: card('one') },
      { op: 'register', card: card('one') },
      { op: 'patch', path: '/one', card: { description: 'new' } },
      { op: 'replace', path: '/two', card: card('two') },
      { op: 'register', card: card('three') },
      { op: 'delete', path: '/three' },
    ];
    const { status, json } = await served.send('POST', '/api/agents/batch', { items, idempotency_key: 'k' });
    expect(status).toBe(202);
    parseWith(MODELS.batchSubmitted, json, 'batch');
    const job = await ended(json.job_id);
    expect(job).toMatchObject({ state: 'partial', total: 6, succeeded: 4, failed: 2, submitted_by: 'anonymous' });
    expect(job.results.map((result: { status: number }) => result.status)).toEqual([201, 409, 200, 404, 201, 204]);
    expect(job.results[1].error).toMatchObject({ code: 'ALREADY_EXISTS' });
    expect((await served.ask('GET', '/api/agents/one')).json.description).toBe('new');
    expect((await served.ask('GET', '/api/agents/three')).status).toBe(404);
  });

  it('does not run twice with the same key', async () => {
    const items = [{ op: 'register', card: card('one') }];
    const first = await served.send('POST', '/api/agents/batch', { items, idempotency_key: 'k' });
    const again = await served.send('POST', '/api/agents/batch', { items, idempotency_key: 'k' });
    expect(again.json.job_id).toBe(first.json.job_id);
    expect([first, again].map(({ headers }) => headers.get('x-idempotent-replay'))).toEqual([null, 'true']);
    expect(await ended(first.json.job_id)).toMatchObject({ state: 'succeeded', total: 1 });
  });

  it.each([
    [{ items: [] }, 'items'],
    [{ items: [{ op: 'rename', path: '/x' }] }, 'items.0.op'],
    [{ items: [{ op: 'delete' }] }, 'items.0.path'],
    [{ items: Array(1001).fill({ op: 'delete', path: '/x' }) }, 'items'],
  ])('refuses a bad batch %#', async (body, field) => {
    const { status, error } = await served.send('POST', '/api/agents/batch', body);
    expect([status, error?.field]).toEqual([422, field]);
  });

  it('says that it does not know a batch', async () => {
    expect((await served.ask('GET', '/api/agents/batch/none')).status).toBe(404);
  });
});
