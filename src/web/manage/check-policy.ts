import { api } from '../api.ts';
import type { ConfiguredServer } from './client-config.ts';

export interface Verdict {
  readonly server: ConfiguredServer;
  readonly isAllowed: boolean;
  readonly why: string;
  /** The registered entity that allows it, or that is disabled. */
  readonly path: string | undefined;
}

/** Whether the registry lists a configured server: by its address, or by the package that its command runs. */
export async function checkPolicy(server: ConfiguredServer, signal: AbortSignal): Promise<Verdict> {
  const path = server.url === undefined ? await byPackage(server, signal) : await byAddress(server, signal);
  if (path === undefined) return { server, isAllowed: false, why: unlisted(server), path };
  const { entity } = await api.getEntity({ params: { type: 'mcp_server', path } }, { signal });
  if (!entity.is_enabled) return { server, isAllowed: false, why: 'It is registered, but disabled.', path };
  if (entity.status === 'deprecated' || entity.status === 'draft') {
    return { server, isAllowed: false, why: `It is registered, but ${entity.status}.`, path };
  }
  return { server, isAllowed: true, why: 'It is registered.', path };
}

function unlisted({ url, package: name }: ConfiguredServer): string {
  if (url !== undefined) return `No registered server has the address ${url}.`;
  if (name !== undefined) return `No registered server runs the package ${name}.`;
  return 'It has neither an address nor a package that can be compared.';
}

async function byAddress({ name, url }: ConfiguredServer, signal: AbortSignal): Promise<string | undefined> {
  const body = { type: 'mcp_server' as const, name, url: url ?? '' };
  const { collision_with: same } = await api.findDuplicates({ body }, { signal });
  return same.find(({ entity_type, reasons }) => entity_type === 'mcp_server' && reasons.includes('url'))?.path;
}

async function byPackage({ package: name }: ConfiguredServer, signal: AbortSignal): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const all = { include_draft: true, include_deprecated: true, include_disabled: true };
  const body = {
    query: name,
    entity_types: ['mcp_server'],
    preset: 'keyword',
    max_results: 10,
    min_confidence: 0,
    ...all,
  };
  const { servers } = await api.search({ body }, { signal });
  return servers.find(({ local_runtime: runtime }) => runtime?.package === name || runtime?.command === name)?.path;
}
