import { expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { STRANGER } from '../../model/caller/caller.ts';

const HIDDEN = {
  type: 'mcp_server',
  path: '/vault',
  name: 'Vault',
  visibility: 'private',
  owner: 'ada',
  is_enabled: false,
  tools: [{ name: 'rotate', description: 'Rotates the hidden key' }],
};

it('copies nothing of a hidden server into what a stranger writes', async () => {
  const registry = await memoryRegistry();
  await registry.put(HIDDEN);
  const stranger = registry.as(STRANGER);
  const mapping = { tool_name: 'rotate', backend_server_path: '/vault' };
  const { warnings } = await stranger.put({
    type: 'virtual_server',
    path: '/desk',
    name: 'Desk',
    tool_mappings: [mapping],
  });
  expect(warnings.join()).toContain('which is not registered');
  expect(JSON.stringify(await stranger.get('virtual_server', '/desk'))).not.toContain('hidden key');

  const taken = stranger.register({ type: 'mcp_server', path: '/vault', name: 'Mine' });
  await expect(taken).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
});

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'It was not refused.',
    ({ code, message, field, hint }) => ({ code, message, field, hint }),
  );

it('says of a path that is taken by something hidden only that it is taken', async () => {
  const registry = await memoryRegistry();
  await registry.put(HIDDEN);
  const stranger = registry.as(STRANGER);
  const server = { type: 'mcp_server', path: '/vault', name: 'Mine' };
  const taken = (type: string, path: string) => ({
    code: 'ALREADY_EXISTS',
    message: `There is already a ${type} at '${path}'.`,
    field: 'path',
    hint: 'Choose another path.',
  });
  expect(await refusal(stranger.put(server))).toEqual(taken('mcp_server', '/vault'));
  expect(await refusal(stranger.register(server))).toEqual(taken('mcp_server', '/vault'));
  expect(await refusal(stranger.register(server, { overwrite: false }))).toEqual(taken('mcp_server', '/vault'));
  const tool = { type: 'tool', path: '/vault#rotate', name: 'rotate' };
  expect(await refusal(stranger.put(tool))).toEqual(taken('tool', '/vault#rotate'));
  const source = { kind: 'mcp', locator: { url: 'https://mine.example' } } as const;
  const [observed] = await stranger.observe({ source, entities: [{ entity: server }], take_over: true });
  expect(observed).toMatchObject({
    state: 'refused',
    code: 'ALREADY_EXISTS',
    notes: ["There is already a mcp_server at '/vault'."],
  });
  expect((await registry.get('mcp_server', '/vault')).entity.name).toBe('Vault');
});

it('lets a virtual server inherit only from backends that all its readers may read', async () => {
  const registry = await memoryRegistry();
  const tool_mappings = [{ tool_name: 'rotate', backend_server_path: '/vault' }];
  const desk = { type: 'virtual_server', path: '/desk', name: 'Desk', tool_mappings };
  const text = async (path: string) => JSON.stringify((await registry.get('virtual_server', path)).entity);
  await registry.put({ ...HIDDEN, visibility: 'public' });
  await registry.put(desk);
  expect(await text('/desk')).toContain('hidden key');

  // The follower loses what it had inherited, and its own write inherits nothing.
  await registry.put(HIDDEN);
  expect(await text('/desk')).not.toContain('hidden key');
  const { warnings } = await registry.put(desk);
  expect(warnings.join()).toContain('which not every reader may read');
  expect(await text('/desk')).not.toContain('hidden key');

  const group = { visibility: 'group-restricted', allowed_groups: ['ops'] };
  await registry.put({ ...desk, path: '/own', visibility: 'private', owner: 'ada' });
  await registry.put({ ...desk, path: '/ops', ...group });
  expect([await text('/own'), await text('/ops')].map((json) => json.includes('hidden key'))).toEqual([true, false]);
  await registry.put({ ...HIDDEN, ...group, allowed_groups: ['ops', 'dev'] });
  expect([await text('/own'), await text('/ops')].map((json) => json.includes('hidden key'))).toEqual([true, true]);
});
