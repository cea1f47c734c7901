import type { EntityBody, Handlers, OperationInput } from '../api/contract.ts';
import { toOpenApi } from '../api/openapi.ts';
import { withoutIdleFields } from '../api/search-tools.ts';
import { toToolReferences } from '../api/tool-references.ts';
import { parseEntityType } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import { showValue } from '../model/parse.ts';
import type { Registry } from '../registry/registry.ts';
import { agentHandlers } from './handlers/agents.ts';
import { embeddingHandlers } from './handlers/embeddings.ts';
import { missingAtUrl } from './handlers/lost-hash.ts';
import { serverHandlers } from './handlers/servers.ts';
import { skillHandlers } from './handlers/skills.ts';
import { virtualServerHandlers } from './handlers/virtual-servers.ts';

/** The handlers of operations. They convert between HTTP and the registry. */
export function createHandlers(registry: Registry, version: string): Handlers {
  let openapi: Record<string, unknown> | undefined;
  return {
    async search({ body }) {
      return { status: 200, body: await registry.search(body) };
    },
    async searchTools({ body: { format, ...asked } }) {
      const { request, warnings: idle } = withoutIdleFields(asked);
      const { tools, warnings } = await registry.search({ ...request, entity_types: ['tool'] });
      return { status: 200, body: { ...toToolReferences(tools, format), warnings: [...idle, ...warnings] } };
    },
    async searchTags({ query: { limit } }) {
      const all = await registry.tags();
      const counts = all.slice(0, limit);
      return { status: 200, body: { tags: counts.map(({ tag }) => tag), counts, total_count: all.length } };
    },
    async listEntities({ query: { type, query, tags, status, cursor, limit } }) {
      const found = await registry.page({
        limit,
        ...(type === undefined ? {} : { types: [type] }),
        ...(query === undefined ? {} : { query }),
        ...(tags === undefined ? {} : { tags }),
        ...(status === undefined ? {} : { statuses: status }),
        ...(cursor === undefined ? {} : { after: cursor }),
      });
      return { status: 200, body: { ...found, entities: [...found.entities] } };
    },
    async getEntity({ params }) {
      try {
        return { status: 200, body: await registry.get(params.type, params.path) };
      } catch (thrown) {
        throw await missingAtUrl(registry, params, thrown);
      }
    },
    async putEntity({ params, query, body }) {
      const path = body.path === undefined ? await spellingOf(registry, params) : params.path;
      const result = await registry.put(withIdentity(body, { ...params, path }), query);
      const answer = { ...result, warnings: [...result.warnings] };
      return result.created ? { status: 201, body: answer } : { status: 200, body: answer };
    },
    async deleteEntity({ params }) {
      try {
        await registry.delete(params.type, params.path);
      } catch (thrown) {
        throw await missingAtUrl(registry, params, thrown);
      }
      return { status: 204, body: undefined };
    },
    async putEntities({ query, body }) {
      const result = await registry.putMany(body.entities, query);
      return { status: 200, body: { ...result, warnings: [...result.warnings] } };
    },
    async observe({ body }) {
      return { status: 200, body: { results: [...(await registry.observe(body))] } };
    },
    async listSources() {
      return { status: 200, body: { sources: [...(await registry.sources())] } };
    },
    async listDrift() {
      return { status: 200, body: { entities: [...(await registry.drift())] } };
    },
    async acceptDrift({ params }) {
      await registry.acceptDrift(params.type, params.path);
      return { status: 204, body: undefined };
    },
    ...serverHandlers(registry),
    ...agentHandlers(registry),
    ...skillHandlers(registry),
    ...virtualServerHandlers(registry),
    ...embeddingHandlers(registry),
    async health() {
      return { status: 200, body: await registry.health() };
    },
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
function withIdentity(body: EntityBody, { type, path }: Identity): unknown {
  const said: { readonly type?: unknown; readonly path?: unknown } = body;
  if (said.type !== undefined && parseEntityType(said.type) !== type) throw disagreement('type', said.type, type);
  if (typeof said.path === 'string' && withoutSlash(said.path) !== withoutSlash(path)) {
    throw disagreement('path', said.path, path);
  }
  return { ...body, type, path: said.path ?? path };
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
