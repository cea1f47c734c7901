import type { Handlers } from '../../api/contract.ts';
import { isJsonObject } from '../../model/json-object.ts';
import type { Registry } from '../../registry/registry.ts';

/** With `all`, the answer comes at once: the work takes longer than a client waits. */
export function reindexHandler(registry: Registry): Pick<Handlers, 'reindex'> {
  return {
    async reindex({ body }) {
      const work = registry.reindex(body);
      if (!isJsonObject(body) || !('all' in body)) return { status: 200, body: await work };
      // Errors at the start are returned; later progress is in the health report and the log.
      await Promise.race([work, new Promise((resolve) => setImmediate(resolve))]);
      return { status: 202, body: { started: true } };
    },
  };
}
