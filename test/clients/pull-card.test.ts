import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseWith } from '../../src/model/parse/parse.ts';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';
import { MODELS } from './client-models.ts';

const card = { name: 'Reviewer', description: 'Reviews more.', version: '2', skills: [{ id: 'r', name: 'Review' }] };
let url: string;
/** What the host answers besides: as a page of an internal service, which a caller may have named as an agent. */
let more: object = {};
const host = createServer((request, response) => {
  if (request.url === '/.well-known/agent-card.json') response.end(JSON.stringify({ ...card, url, ...more }));
  else response.writeHead(404).end();
});
let served: ServedRegistry;

beforeAll(async () => {
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/a2a`;
  served = await serveRegistry({}, { discovery_private_addresses: true });
  await served.registry.put({ type: 'a2a_agent', path: '/reviewer', name: 'Reviewer', url, tags: ['mine'] });
});
afterAll(async () => {
  await served.close();
  host.closeAllConnections();
  host.close();
});

const pull = (query = '') => served.ask('POST', `/api/agents/reviewer/pull-card${query}`);

describe('CL-9: agents/pull-card', () => {
  it('reports the changes of the published card, and stores nothing by default', async () => {
    const { status, json } = await pull();
    expect(status).toBe(200);
    parseWith(MODELS.pulledCard, json, 'answer');
    expect(json).toMatchObject({ dry_run: true, has_changes: true, applied: false, health_status: 'healthy' });
    expect(json.changes.map(({ field }: { field: string }) => field)).toEqual(['description', 'version', 'skills']);
    expect((await served.ask('GET', '/api/agents/reviewer')).json.description).toBe('');
  });

  it('takes over the fields of the card, and keeps those of the registry', async () => {
    expect((await pull('?dry_run=false')).json).toMatchObject({ applied: true });
    expect((await served.ask('GET', '/api/agents/reviewer')).json).toMatchObject({
      description: 'Reviews more.',
      version: '2',
      tags: ['mine'],
      skills: [{ id: 'r' }],
    });
    expect((await pull('?dry_run=false')).json).toMatchObject({ has_changes: false, applied: false });
  });

  it('shows no field that is none of a card', async () => {
    more = { accessKey: 'hunter2', internal: { token: 'hunter3' } };
    const shown = await pull();
    expect([shown.status, JSON.stringify(shown.json).includes('hunter')]).toEqual([200, false]);
    more = { name: undefined, instance: 'hunter4' };
    const refused = JSON.stringify((await pull()).json);
    expect(refused).toContain('has no agent card');
    expect(refused).not.toContain('hunter');
    more = {};
  });

  it('does not read a private address, unless a setting allows it', async () => {
    const strict = await serveRegistry();
    await strict.registry.put({ type: 'a2a_agent', path: '/reviewer', name: 'Reviewer', url });
    expect((await strict.ask('POST', '/api/agents/reviewer/pull-card')).status).toBe(403);
    await strict.close();
  });
});
