import { entityId, isEntityType, splitEntityId } from '../model/entity.ts';
import { ENTITY_TYPE_TABLE } from '../model/entity-types/table.ts';
import { DowserError } from '../model/errors.ts';
import { showValue } from '../model/parse.ts';
import type { Source, SourceItem, SourceKind } from './source.ts';

const NAMESPACE = /^[A-Za-z0-9][\w.-]{0,63}$/;
/** Of the other kinds, paths are names: those of a registry, a package or another Dowser. */
const KINDS: readonly SourceKind[] = ['mcp', 'config', 'a2a', 'skill', 'ard'];

/**
 * The same source with every entity below a namespace: `/skills/pdf` becomes `/skills/acme/pdf`. So two collections may have
 * skills of one name. The namespace is part of the locator: with another one, it is another source.
 */
export function namespacedSource(source: Source, namespace: string | undefined): Source {
  if (namespace === undefined) return source;
  if (!NAMESPACE.test(namespace)) {
    throw new DowserError(
      'INVALID_REQUEST',
      `--namespace is ${showValue(namespace)}: must be a name of letters, digits and ._-`,
      {
        field: 'namespace',
      },
    );
  }
  if (!KINDS.includes(source.kind)) {
    throw new DowserError('INVALID_REQUEST', `--namespace cannot be used with a source of kind ${source.kind}.`, {
      field: 'namespace',
      hint: `Use it with ${KINDS.join(', ')}.`,
    });
  }
  return {
    ...source,
    locator: { ...source.locator, namespace },
    async *read(signal): AsyncGenerator<SourceItem> {
      for await (const item of source.read(signal)) yield inNamespace(item, namespace);
    },
  };
}

function inNamespace(item: SourceItem, namespace: string): SourceItem {
  if ('withdrawn' in item) {
    const { type, path } = splitEntityId(item.withdrawn);
    return { ...item, withdrawn: entityId(type, pathIn(namespace, type, path)) };
  }
  if (!('entity' in item)) return item;
  const { type, path } = item.entity;
  if (typeof path !== 'string') return item;
  return { ...item, entity: { ...item.entity, path: pathIn(namespace, type, path) } };
}

function pathIn(namespace: string, type: unknown, path: string): string {
  const prefix = isEntityType(type) ? ENTITY_TYPE_TABLE[type].pathPrefix : '/';
  const rest = path.startsWith(prefix) ? path.slice(prefix.length) : path.replace(/^\/+/, '');
  return `${prefix}${namespace}/${rest}`;
}
