import type { Handlers } from '../../api/contract.ts';
import type { embeddingOperations } from '../../api/operations/embedding-operations.ts';
import { ifFound } from '../../api/wire/if-found.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import type { EntityUnits } from '../../registry/contract/answers.ts';
import { MAX_LISTED } from '../../registry/contract/maintenance.ts';
import type { ScopedRegistry } from '../../registry/contract/registry.ts';
import { distinctEntities, type Listed, reindexDetails } from '../../standards/gateway/embedding-report.ts';

type EmbeddingHandlers = Pick<Handlers, keyof typeof embeddingOperations>;

/** The answers of the registry, with the keys of the MCP gateway registry beside its own. */
export function embeddingHandlers(registry: ScopedRegistry): EmbeddingHandlers {
  /** The entities of the first units, by name. */
  async function named(units: readonly EntityUnits[]) {
    const found: Listed[] = [];
    for (const { entity_type, path } of units) {
      const record = await ifFound(registry.get(entity_type, path));
      if (record === undefined) continue;
      const { name, is_enabled } = record.entity;
      found.push({ path, entity_type, name, is_enabled });
    }
    return distinctEntities(found);
  }
  async function totals(lacking: number) {
    const { entities } = (await registry.health()).index;
    return { total_source: entities, total_indexed: Math.max(0, entities - lacking) };
  }
  /** Without a model every entity lacks its vectors: none of them is waiting for one, but none is indexed either. */
  async function lackingAll() {
    const found: Listed[] = [];
    for await (const { entity } of registry.all()) {
      const { path, type: entity_type, name, is_enabled } = entity;
      found.push({ path, entity_type, name, is_enabled });
      if (found.length === MAX_LISTED) break;
    }
    const { total_source } = await totals(0);
    return { missing: distinctEntities(found), total_missing: total_source };
  }
  async function lacking() {
    const { embedder, entities, total_entities } = await registry.missingVectors({ limit: MAX_LISTED });
    return embedder === null ? lackingAll() : { missing: await named(entities), total_missing: total_entities };
  }
  /** The paths of a request, which the registry has checked. */
  const pathsIn = (body: unknown): readonly string[] =>
    isJsonObject(body) && Array.isArray(body.paths) ? (body.paths as readonly string[]) : [];

  return {
    async missingVectors({ query }) {
      const own = await registry.missingVectors(query);
      const { missing, total_missing } = await lacking();
      return { status: 200, body: { ...own, missing, total_missing, ...(await totals(total_missing)) } };
    },
    async staleVectors({ query }) {
      const own = await registry.staleVectors(query);
      const stale = await named((await registry.staleVectors({ limit: MAX_LISTED })).entities);
      const { total_missing } = await lacking();
      return {
        status: 200,
        body: { ...own, stale, total_stale: own.total_entities, ...(await totals(total_missing)) },
      };
    },
    async cleanUpStaleVectors({ body }) {
      const isAll = isJsonObject(body) && 'all' in body;
      const total = isAll ? (await registry.staleVectors({ limit: 1 })).total_entities : pathsIn(body).length;
      const own = await registry.cleanUpStaleVectors(body);
      return { status: 200, body: { ...own, failed: 0, total } };
    },
    async reindex({ body }) {
      const work = registry.reindex(body);
      if (!isJsonObject(body) || !('all' in body)) {
        const own = await work;
        return { status: 200, body: { ...own, ...reindexDetails(pathsIn(body), own.not_found) } };
      }
      // Errors at the start are returned. The rest takes longer than a client waits: see the health report and the log.
      await Promise.race([work, new Promise((resolve) => setImmediate(resolve))]);
      return { status: 202, body: { started: true } };
    },
  };
}
