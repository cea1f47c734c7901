import type { Handlers, OperationInput } from '../api/contract.ts';
import { toOpenApi } from '../api/openapi.ts';
import { searchToolsFormat, withoutUnusedFields } from '../api/search-tools.ts';
import { toToolReferences } from '../api/tool-references.ts';
import { parseEntityType } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import { isJsonObject } from '../model/json-object.ts';
import { parseWith, showValue } from '../model/parse.ts';
import type { Registry, ScopedRegistry } from '../registry/registry.ts';
import { agentHandlers } from './handlers/agents.ts';
import { missingAtUrl } from './handlers/lost-hash.ts';
import { registryHandlers } from './handlers/registry-handlers.ts';
import { reindexHandler } from './handlers/reindex.ts';
import { serverHandlers } from './handlers/servers.ts';
import { skillHandlers } from './handlers/skills.ts';
import { virtualServerHandlers } from './handlers/virtual-servers.ts';

/** The handlers of operations. They convert between HTTP and the registry. */
export function createHandlers(registry: ScopedRegistry, version: string): Handlers {
  let openapi: Record<string, unknown> | undefined;
  const calls = registryHandlers(registry);
  return {
    ...calls,
    getEntity: (input) => calls.getEntity(input).catch(missingAtUrl(registry, input.params)),
    deleteEntity: (input) => calls.deleteEntity(input).catch(missingAtUrl(registry, input.params)),
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
    ...reindexHandler(registry),
    async openapi() {
      openapi ??= toOpenApi(version);
      return { status: 200, body: openapi };
    },
  };
}

type Identity = OperationInput<'putEntity'>['params'];

/**
 * Reading `context7` finds `/context7`, so writing to the same URL must replace it, not add a second entity.
 */
async function spellingOf(registry: Registry, { type, path }: Identity): Promise<string> {
  if (path.startsWith('/')) return path;
  try {
    return (await registry.get(type, path)).entity.path;
  } catch (thrown) {
    if (thrown instanceof DowserError && thrown.code === 'NOT_FOUND') return path;
    throw thrown;
  }
}

const withoutSlash = (path: string) => path.replace(/^\//, '');

/** The entity with its type and path. Body and URL must agree on them; the spelling of the body is kept. */
async function withIdentity(registry: Registry, url: Identity, body: unknown): Promise<unknown> {
  if (!isJsonObject(body)) return body;
  const { type } = url;
  const path = body.path === undefined ? await spellingOf(registry, url) : url.path;
  if (body.type !== undefined && parseEntityType(body.type) !== type) throw disagreement('type', body.type, type);
  if (typeof body.path === 'string' && withoutSlash(body.path) !== withoutSlash(path)) {
    throw disagreement('path', body.path, path);
  }
  return { ...body, type, path: body.path ?? path };
}

function disagreement(field: 'type' | 'path', said: unknown, url: string): DowserError {
  return new DowserError(
    'INVALID_REQUEST',
    `'${field}' of the body is ${showValue(said)}, but the URL has ${showValue(url)}.`,
    {
      field,
      hint: `Remove '${field}' from the body, or use the same value.`,
    },
  );
}
