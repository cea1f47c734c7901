import type { McpServer } from '../../model/entity.ts';
import { isJsonObject } from '../../model/json-object.ts';
import type { Registry } from '../../registry/registry.ts';
import { readAddress } from './read-address.ts';

export interface MoveWatch {
  readonly registry: Pick<Registry, 'get'>;
  /** Called with the path of each server that has another address after the write. */
  readonly onMoved: (path: string) => void;
  /** Whether a new server counts, too. */
  readonly includeNew: boolean;
}

/** Runs a write of the servers at these paths. Its result is the result, also if a server cannot be read before or after it. */
export async function readIfMoved<T>(
  { registry, onMoved, includeNew }: MoveWatch,
  paths: readonly string[],
  write: () => Promise<T>,
): Promise<T> {
  const serverAt = async (path: string) => {
    const found = await registry.get('mcp_server', path).catch(() => undefined);
    return found?.entity as McpServer | undefined;
  };
  const before = await Promise.all(paths.map(serverAt));
  const reply = await write();
  for (const [at, path] of paths.entries()) {
    const old = before[at];
    const now = old === undefined && !includeNew ? undefined : await serverAt(path);
    const address = now && readAddress(now);
    if (now === undefined || address === undefined) continue;
    if (old === undefined || readAddress(old) !== address) onMoved(now.path);
  }
  return reply;
}

/** The paths of the servers among entities that are not parsed yet. */
export function serverPaths(entities: readonly unknown[]): readonly string[] {
  return entities.flatMap((entity) => {
    const { type, path } = isJsonObject(entity) ? entity : {};
    return type === 'mcp_server' && typeof path === 'string' ? [path] : [];
  });
}
