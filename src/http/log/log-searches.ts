import { AsyncLocalStorage } from 'node:async_hooks';
import { toDowserError } from '../../model/errors/errors.ts';
import type { LocalRegistry, Registry } from '../../registry/contract/registry.ts';
import type { Logger } from './logger.ts';

export interface LoggedSearches {
  /** The registry with logged searches. */
  readonly registry: LocalRegistry;
  /** Runs the work of a request. Its searches are logged with its id. */
  during<T>(requestId: string, work: () => Promise<T>): Promise<T>;
}

/**
 * Logs every search at level `debug`, on any route: its plan, its results and its duration, but never the query. A ranking of
 * the MCP gateway registry also has a line for every candidate. Costs nothing at higher levels.
 */
export function logSearches(registry: LocalRegistry, logger: Logger): LoggedSearches {
  if (logger.debug === undefined) return { registry, during: (_, work) => work() };
  const requests = new AsyncLocalStorage<string>();
  const write = (facts: object, message: string) => {
    const request_id = requests.getStore();
    logger.debug?.({ ...(request_id === undefined ? {} : { request_id }), ...facts }, message);
  };
  const log = (started: number, facts: object) => {
    write({ ...facts, ms: Math.round((performance.now() - started) * 100) / 100 }, 'search');
  };
  registry.watchSearches(({ scoreLines }) => {
    for (const line of scoreLines()) write({}, line);
  });
  const logged =
    (inner: Registry): Registry['search'] =>
    async (request) => {
      const started = performance.now();
      try {
        const answer = await inner.search(request);
        const { preset, search_mode, query_class, no_match, results, total_candidates, warnings } = answer;
        log(started, {
          preset,
          search_mode,
          query_class,
          no_match,
          total_candidates,
          results: results.length,
          with_words: results.filter(({ matched_fields }) => matched_fields.length > 0).length,
          with_vector: results.filter(({ similarity_score }) => similarity_score !== null).length,
          best_confidence: results[0]?.confidence ?? null,
          warnings: warnings.length,
        });
        return answer;
      } catch (thrown) {
        log(started, { code: toDowserError(thrown).code });
        throw thrown;
      }
    };
  /** An answer that is kept would not be logged when it is sent again. */
  const heldSearch = () => null;
  const as: LocalRegistry['as'] = (caller, options) => {
    const scoped = registry.as(caller, options);
    return { ...scoped, search: logged(scoped), heldSearch };
  };
  return {
    registry: { ...registry, search: logged(registry), heldSearch, as },
    during: (requestId, work) => requests.run(requestId, work),
  };
}
