import { ifFound, isNotFound } from '../../api/if-found.ts';
import { barePath } from '../../model/bare-path.ts';
import { type EntityType, parseEntityType } from '../../model/entity.ts';
import { SERVER_TYPES } from '../../model/entity-types/table.ts';
import { DowserError } from '../../model/errors.ts';
import { isJsonObject } from '../../model/json-object.ts';
import { showValue } from '../../model/parse.ts';
import { trimEndChars } from '../../model/trim-chars.ts';
import type { Registry } from '../../registry/registry.ts';

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

/** Types whose paths begin with a slash, as the MCP gateway registry stores them. */
const ROOTED: readonly EntityType[] = [...SERVER_TYPES, 'a2a_agent'];

/** Reading `context7` or `/context7/` finds `/context7`, so writing there must replace it, not add a second entity. */
async function storedPath(registry: Registry, { type, path }: UrlEntity): Promise<string> {
  const found = await ifFound(registry.get(type, path));
  if (found !== undefined) return found.entity.path;
  if (barePath(path) === '') return path;
  return ROOTED.includes(type) ? `/${barePath(path)}` : trimEndChars(path, '/');
}

/** The entity with its type and path. Body and URL must agree on them; the spelling of the body is kept. */
export async function withIdentity(registry: Registry, url: UrlEntity, body: unknown): Promise<unknown> {
  if (!isJsonObject(body)) return body;
  const { type } = url;
  const path = body.path === undefined ? await storedPath(registry, url) : url.path;
  if (body.type !== undefined && parseEntityType(body.type) !== type) throw mismatch('type', body.type, type);
  if (typeof body.path === 'string' && barePath(body.path) !== barePath(path)) {
    throw mismatch('path', body.path, path);
  }
  return { ...body, type, path: body.path ?? path };
}

function mismatch(field: 'type' | 'path', sent: unknown, url: string): DowserError {
  const message = `'${field}' of the body is ${showValue(sent)}, but the URL has ${showValue(url)}.`;
  const hint = `Remove '${field}' from the body, or use the same value.`;
  return new DowserError('INVALID_REQUEST', message, { field, hint });
}
