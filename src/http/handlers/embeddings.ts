import type { Handlers } from '../../api/contract.ts';
import type { MaintenanceBody } from '../../api/operations/embedding-operations.ts';
import type { EMBEDDING_ROUTES } from '../../api/operations/operation-routes.ts';
import type { Registry } from '../../registry/registry.ts';
import type { EntityUnits, MaintenanceTarget } from '../../registry/vectors/maintenance.ts';

export function embeddingHandlers(registry: Registry): Pick<Handlers, keyof typeof EMBEDDING_ROUTES> {
  return {
    async missingVectors({ query }) {
      const { entities, ...rest } = await registry.missingVectors(query);
      return { status: 200, body: { ...rest, entities: entities.map(copied) } };
    },
    async staleVectors({ query }) {
      const { entities, ...rest } = await registry.staleVectors(query);
      return { status: 200, body: { ...rest, entities: entities.map(copied) } };
    },
    async cleanUpStaleVectors({ body }) {
      const { removed, not_found } = await registry.cleanUpStaleVectors(targetOf(body));
      return { status: 200, body: { removed, not_found: [...not_found] } };
    },
    async reindex({ body }) {
      const target = targetOf(body);
      const work = registry.reindex(target);
      if ('all' in target) {
        // Errors at the start are returned; later progress is in the health report and the log.
        await Promise.race([work, new Promise((resolve) => setImmediate(resolve))]);
        return { status: 202, body: { started: true } };
      }
      const done = await work;
      return { status: 200, body: { ...done, not_found: [...done.not_found] } };
    },
  };
}

const copied = <E extends EntityUnits>(entity: E) => ({ ...entity, units: [...entity.units] });

function targetOf({ paths }: MaintenanceBody): MaintenanceTarget {
  return paths === undefined ? { all: true } : { paths };
}
