import type { Handlers } from '../api/contract.ts';
import { toOpenApi } from '../api/openapi.ts';
import { searchToolsFormat, withoutUnusedFields } from '../api/search-tools.ts';
import { toToolReferences } from '../api/tool-references.ts';
import type { Memories } from '../memories/memories.ts';
import { isJsonObject } from '../model/json-object.ts';
import { parseWith } from '../model/parse.ts';
import type { ScopedRegistry } from '../registry/registry.ts';
import { agentHandlers } from './handlers/agents.ts';
import { withIdentity, withToolHint } from './handlers/entity-url.ts';
import { memoryHandlers } from './handlers/memories.ts';
import { registryHandlers } from './handlers/registry-handlers.ts';
import { serverHandlers } from './handlers/servers.ts';
import { skillHandlers } from './handlers/skills.ts';
import { virtualServerHandlers } from './handlers/virtual-servers.ts';
import type { ServerLoad } from './server-load.ts';

export interface HandlerParts {
  readonly registry: ScopedRegistry;
  readonly memories: Memories;
  readonly version: string;
  readonly load: ServerLoad;
}

/** The handlers of operations. They convert between HTTP and the registry. */
export function createHandlers({ registry, memories, version, load }: HandlerParts): Handlers {
  let openapi: Record<string, unknown> | undefined;
  const calls = registryHandlers(registry);
  return {
    ...calls,
    getEntity: (input) => calls.getEntity(input).catch(withToolHint(registry, input.params)),
    deleteEntity: (input) => calls.deleteEntity(input).catch(withToolHint(registry, input.params)),
    async putEntity({ params, query, body }) {
      const result = await registry.put(await withIdentity(registry, params, body), query);
      return result.created ? { status: 201, body: result } : { status: 200, body: result };
    },
    async searchTools({ body }) {
      const { format, ...asked } = parseWith(searchToolsFormat, body, 'search request');
      const { request, warnings: unused } = withoutUnusedFields(asked);
      const { tools, warnings } = await registry.search({ ...request, entity_types: ['tool'] });
      return { status: 200, body: { ...toToolReferences(tools, format), warnings: [...unused, ...warnings] } };
    },
    async searchTags({ query: { limit } }) {
      const all = await registry.tags();
      const counts = all.slice(0, limit);
      return { status: 200, body: { tags: counts.map(({ tag }) => tag), counts, total_count: all.length } };
    },
    ...serverHandlers(registry),
    ...agentHandlers(registry),
    ...skillHandlers(registry),
    ...virtualServerHandlers(registry),
    ...memoryHandlers(memories),
    async reindex({ body }) {
      const work = registry.reindex(body);
      if (!isJsonObject(body) || !('all' in body)) return { status: 200, body: await work };
      // Errors at the start are returned. The rest takes longer than a client waits: see the health report and the log.
      await Promise.race([work, new Promise((resolve) => setImmediate(resolve))]);
      return { status: 202, body: { started: true } };
    },
    async health() {
      return { status: 200, body: { ...(await registry.health()), server: load.report() } };
    },
    async openapi() {
      openapi ??= toOpenApi(version);
      return { status: 200, body: openapi };
    },
  };
}
