import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { callerOf } from '../../model/caller/caller.ts';
import type { LocalRegistry } from '../contract/registry.ts';

const SERVER = { type: 'mcp_server', path: '/mail', name: 'Mail', description: 'Sends letters', owner: 'ada' } as const;
const LIST = { kind: 'mcp-registry', locator: { url: 'https://list.example' } };
const admin = callerOf({ name: 'root', groups: [], scopes: ['admin'] });
const ada = callerOf({ name: 'ada', groups: [], scopes: ['write'] });

let registry: LocalRegistry;
beforeEach(async () => {
  registry = await memoryRegistry();
  await registry.put(SERVER);
});
afterEach(() => registry.close());

const found = async () => (await registry.search({ query: 'letters' })).results.map(({ path }) => path);
const block = () => registry.as(admin).review('mcp_server', '/mail', { decision: 'blocked', reason: ' spam ' });

describe('a blocked entity', () => {
  it('is found by no search, and says who blocked it, when and why', async () => {
    expect(await found()).toEqual(['/mail']);
    const { review } = await block();
    expect(review).toEqual({ decision: 'blocked', by: 'root', at: expect.stringMatching(/Z$/), reason: 'spam' });
    expect(await found()).toEqual([]);
    expect((await registry.get('mcp_server', '/mail')).review).toEqual(review);
  });

  it('is enabled by no write of anybody, but by an approval', async () => {
    await block();
    const own = registry.as(ada);
    const writes = [
      () => own.put(SERVER),
      () => own.putMany([SERVER]),
      () => own.patch('mcp_server', '/mail', { is_enabled: true }),
      () => own.delete('mcp_server', '/mail'),
      () => registry.put(SERVER),
      () => own.review('mcp_server', '/mail', { decision: 'approved' }),
    ];
    for (const write of writes)
      await expect(write()).rejects.toMatchObject({ code: expect.stringMatching(/FORBIDDEN|SCOPE/) });
    // A registration keeps the switch that is stored.
    await own.register(SERVER, { overwrite: true });
    await own.put({ ...SERVER, description: 'Sends letters by post', is_enabled: false });
    const source = { kind: 'mcp', locator: { url: 'https://mail.example' } };
    await registry.observe({ source, entities: [{ entity: { ...SERVER, is_enabled: true } }], take_over: true });
    expect(await found()).toEqual([]);
    await registry.as(admin).review('mcp_server', '/mail', { decision: 'approved' });
    expect(await found()).toEqual(['/mail']);
    await own.delete('mcp_server', '/mail');
  });

  it('stays blocked when its source enables it', async () => {
    const source = { kind: 'mongodb', locator: { url: 'mongodb://list.example' } };
    const listed = (is_enabled: boolean) => ({
      source,
      entities: [{ entity: { ...SERVER, is_enabled } }],
      take_over: true,
    });
    await registry.put({ ...SERVER, is_enabled: false });
    await registry.observe(listed(false));
    await block();
    await registry.observe(listed(true));
    expect(await found()).toEqual([]);
  });

  it('stays blocked when its source withdraws it and lists it again', async () => {
    const listed = { source: LIST, entities: [{ entity: SERVER }], take_over: true };
    const withdrawn = [{ type: 'mcp_server' as const, path: '/mail' }];
    await registry.observe(listed);
    await block();
    expect(await registry.observe({ source: LIST, withdrawn })).toEqual([]);
    await registry.observe(listed);
    expect(await found()).toEqual([]);
    await registry.as(admin).review('mcp_server', '/mail', { decision: 'approved' });
    expect(await found()).toEqual(['/mail']);
    expect(await registry.observe({ source: LIST, withdrawn })).toMatchObject([{ state: 'deleted' }]);
  });

  it('is deleted by no caller but an admin, also among many', async () => {
    const memory = { type: 'memory', path: '/notes/1', content: 'Pay in cash', owner: 'ada' } as const;
    await registry.put(memory);
    await registry.as(admin).review('memory', '/notes/1', { decision: 'blocked' });
    await registry.put({ ...memory, path: '/notes/2', content: 'Pay by card' });
    const remove = (caller: typeof ada) => registry.as(caller).deleteMany('memory', ['/notes/1', '/notes/2']);
    await expect(remove(ada)).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    expect(await registry.getMany('memory', ['/notes/1', '/notes/2'])).toHaveLength(2);
    expect(await remove(admin)).toBe(2);
  });

  it('is active after an approval if it was a draft', async () => {
    await registry.put({ ...SERVER, status: 'draft' });
    await registry.review('mcp_server', '/mail', { decision: 'approved' });
    expect((await registry.get('mcp_server', '/mail')).entity.status).toBe('active');
  });
});
