import { expect, it } from 'vitest';
import { readAudit } from '../../src/access/read-audit.ts';
import { parseSettings } from '../../src/config.ts';
import { accessServer } from '../support/access-server.ts';

const CLIENT = '203.0.113.9';

it.each([
  ['127.0.0.0/8', CLIENT],
  ['', '127.0.0.1'],
])('with trusted_proxies %o, the audit log and the limits know %s', async (trusted_proxies, address) => {
  const server = await accessServer({ trusted_proxies, anonymous_read: true, rate_limit: 1 });
  try {
    const ask = (from: string) => server.ask('GET', '/api/entities', { headers: { 'X-Forwarded-For': from } });
    const refused = { headers: { 'X-Forwarded-For': CLIENT }, body: {} };
    await server.ask('POST', '/api/entities', refused);
    const [record] = await readAudit(server.dir, { limit: 1 });
    expect(record).toMatchObject({ from: address, result: 'UNAUTHENTICATED' });
    const statuses = await Promise.all(Array.from({ length: 40 }, async () => (await ask(CLIENT)).status));
    expect(statuses).toContain(429);
    expect((await ask('203.0.113.10')).status).toBe(trusted_proxies === '' ? 429 : 200);
  } finally {
    await server.close();
  }
});

it.each(['proxy.example', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0', '::1/129'])('%s is no proxy', (trusted_proxies) => {
  expect(() => parseSettings({ trusted_proxies })).toThrow(/IP address, or a range/);
});
