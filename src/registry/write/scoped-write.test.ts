import { expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/surface/memory-registry.ts';
import { STRANGER } from '../../model/caller.ts';

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
