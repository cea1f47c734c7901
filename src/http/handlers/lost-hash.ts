import type { EntityType } from '../../model/entity.ts';
import { SERVER_TYPES } from '../../model/entity-types/table.ts';
import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';
import type { Registry } from '../../registry/registry.ts';

interface Named {
  readonly type: EntityType;
  readonly path: string;
}

const isMissing = (thrown: unknown): thrown is DowserError =>
  thrown instanceof DowserError && thrown.code === 'NOT_FOUND';

/**
 * Says more of an entity that a URL names and that is not there. Clients do not send what follows a `#`: of `/server#tool`
 * only the server arrives, and the caller probably asked for one of its tools.
 */
export function missingAtUrl(registry: Registry, { type, path }: Named): (thrown: unknown) => Promise<never> {
  return async (thrown) => {
    if (type !== 'tool' || !isMissing(thrown)) throw thrown;
    for (const server of SERVER_TYPES) {
      const found = await registry.get(server, path).catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
      if (found === undefined) continue;
      const at = found.entity.path;
      const hint = `${showValue(at)} is a ${server}: its tools are at ${showValue(`${at}#NAME`)}. In a URL, write # as %23.`;
      throw new DowserError('NOT_FOUND', thrown.message, { hint, cause: thrown });
    }
    throw thrown;
  };
}
