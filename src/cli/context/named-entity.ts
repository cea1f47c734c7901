import { ENTITY_TYPES, type Entity, type EntityType, idOf, isEntityType, parseEntityType } from '../../model/entity.ts';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import type { Backend } from './backend.ts';

/** An entity as it is named on the command line. */
export interface Wanted {
  readonly type: EntityType | null;
  readonly path: string;
}

/** `type:path`, or a path alone. A colon after an unknown type belongs to the path (`npm:left-pad`). */
export function parseWanted(text: string): Wanted {
  const colon = text.indexOf(':');
  const type = text.slice(0, colon);
  return colon > 0 && isEntityType(type) ? { type, path: text.slice(colon + 1) } : { type: null, path: text };
}

/** The entities of every type at a path, or of the given type only. `onMeant` gets the paths that may be meant instead. */
export async function whereIs(
  backend: Backend,
  { type, path }: Wanted,
  onMeant: (path: string) => void = () => {},
): Promise<readonly Entity[]> {
  const found: Entity[] = [];
  if (path === '') return found;
  for (const known of ENTITY_TYPES) {
    if (type !== null && known !== type) continue;
    try {
      found.push((await backend.get(known, path)).entity);
    } catch (thrown) {
      const { code, details } = toDowserError(thrown);
      if (code !== 'NOT_FOUND') throw thrown;
      if (details?.did_you_mean !== undefined) onMeant(details.did_you_mean);
    }
  }
  return found;
}

function nothingAt({ type, path }: Wanted, meant?: string): DowserError {
  const of = type === null ? 'Nothing' : `No ${type}`;
  return new DowserError('NOT_FOUND', `${of} is registered at '${path}'.`, {
    hint:
      meant === undefined
        ? 'Find its path with `dowser search` or `dowser list`; it is case-sensitive.'
        : `Did you mean '${meant}'?`,
  });
}

/** Throws NOT_FOUND if there is no such entity, with a hint at what was probably meant. */
export async function expectNamed(backend: Backend, wanted: Wanted): Promise<void> {
  let meant: string | undefined;
  const found = await whereIs(backend, wanted, (path) => {
    meant ??= path;
  });
  if (found.length > 0) return;
  const type = wanted.type ?? (wanted.path.includes('#') ? 'tool' : null);
  if (type !== null && wanted.path !== '') await getNamed(backend, type, wanted.path);
  throw nothingAt(wanted, meant);
}

/**
 * The entity that the arguments of a command name: `mcp_server:/clock`, `/clock` or `mcp_server /clock`. Throws NOT_FOUND, and
 * INVALID_REQUEST for a path alone that entities of several types have.
 */
export async function getWanted(backend: Backend, args: readonly string[]): ReturnType<Backend['get']> {
  const [first = '', second] = args;
  if (second !== undefined) return getNamed(backend, parseEntityType(first), second);
  const { type, path } = parseWanted(first);
  if (type !== null) return getNamed(backend, type, path);
  if (isEntityType(path)) {
    throw new DowserError('INVALID_REQUEST', `The path of the ${path} is missing.`, {
      hint: `Write ${path}:/path. List the paths with \`dowser list ${path}\`.`,
    });
  }
  let meant: string | undefined;
  const [only, ...others] = await whereIs(backend, { type, path }, (near) => {
    meant ??= near;
  });
  if (only === undefined) throw nothingAt({ type, path }, meant);
  if (others.length === 0) return backend.get(only.type, only.path);
  const ids = [only, ...others].map(idOf);
  throw new DowserError('INVALID_REQUEST', `${ids.length} entities have the path '${path}'.`, {
    hint: `Name one of ${ids.join(', ')}.`,
  });
}

/** The entity of a type at a path. Throws NOT_FOUND, with the entity of another type at that path. */
export async function getNamed(backend: Backend, type: EntityType, path: string): ReturnType<Backend['get']> {
  try {
    return await backend.get(type, path);
  } catch (thrown) {
    // For a missing tool of a server, the registry itself says which tool was probably meant.
    const { code, details } = toDowserError(thrown);
    if (code !== 'NOT_FOUND' || (type === 'tool' && path.includes('#'))) throw thrown;
    const [other] = await whereIs(backend, { type: null, path });
    const error = nothingAt({ type, path }, details?.did_you_mean);
    if (other === undefined) throw error;
    const server = other.type === 'tool' ? other.server_path : undefined;
    const hint = `At that path is ${idOf(other)}${server === undefined ? '' : `, a tool of ${server}`}.`;
    throw new DowserError('NOT_FOUND', error.message, { hint, cause: thrown });
  }
}
