import { ifFound } from '../../api/if-found.ts';
import type { McpServer } from '../../model/entity.ts';
import type { Registry } from '../../registry/registry.ts';
import { readAddress } from './read-address.ts';

/** Runs a write, and calls `onMoved` with the path if a stored server has another address after it. */
export async function readIfMoved<T>(
  registry: Pick<Registry, 'get'>,
  path: string,
  onMoved: (path: string) => void,
  write: () => Promise<T>,
): Promise<T> {
  const serverNow = async () => (await ifFound(registry.get('mcp_server', path)))?.entity as McpServer | undefined;
  const before = await serverNow();
  const reply = await write();
  const after = before && (await serverNow());
  if (before !== undefined && after !== undefined && readAddress(before) !== readAddress(after)) onMoved(after.path);
  return reply;
}
