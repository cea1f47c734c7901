import type { StoredChange } from '../../registry/contract/registry.ts';
import { readAddress } from './read-address.ts';
import type { ToolDiscovery } from './tool-discovery.ts';

/**
 * For `watchWrites`: has each server read that is at another address after a write. A new server counts if it is written
 * alone: a load of many servers must not call all of them.
 */
export function readMoved(discovery: Pick<ToolDiscovery, 'registered'>): (changes: readonly StoredChange[]) => void {
  return (changes) => {
    for (const { before, after } of changes) {
      if (after.type !== 'mcp_server' || (before === undefined && changes.length > 1)) continue;
      const address = readAddress(after);
      const isKnown = before?.type === 'mcp_server' && readAddress(before) === address;
      if (address !== undefined && !isKnown) discovery.registered(after.path);
    }
  };
}
