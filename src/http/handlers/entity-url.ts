import { ifFound, isNotFound } from '../../api/wire/if-found.ts';
import type { EntityType } from '../../model/entity.ts';
import { SERVER_TYPES } from '../../model/entity-types/table.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import type { Registry } from '../../registry/contract/registry.ts';

/** The entity that a URL names. */
export interface UrlEntity {
  readonly type: EntityType;
  readonly path: string;
}

/**
 * Adds a hint to the error for a missing tool. Clients do not send what follows a `#`: of `/server#tool` only the server
 * arrives, and the caller probably asked for one of its tools.
 */
export function withToolHint(registry: Registry, { type, path }: UrlEntity): (thrown: unknown) => Promise<never> {
  return async (thrown) => {
    if (type !== 'tool' || !isNotFound(thrown)) throw thrown;
    for (const server of SERVER_TYPES) {
      const found = await ifFound(registry.get(server, path));
      if (found === undefined) continue;
      const at = found.entity.path;
      const hint = `${showValue(at)} is a ${server}: its tools are at ${showValue(`${at}#NAME`)}. In a URL, write # as %23.`;
      throw new DowserError('NOT_FOUND', thrown.message, { hint, cause: thrown });
    }
    throw thrown;
  };
}
