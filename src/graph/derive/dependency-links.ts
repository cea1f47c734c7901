import { type Entity, type EntityId, idOf } from '../../model/entity.ts';
import type { Edge } from '../../model/entity-parts/edge.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import type { Derivation } from './derivation.ts';
import { FirstEdges } from './first-edges.ts';
import { GroupIndex } from './group-index.ts';

/** A package lists another in its `metadata.dependencies`: names, or names with ranges as in `package.json`. */
export class DependencyLinks implements Derivation {
  readonly #packages = new GroupIndex<EntityId>();
  readonly #dependents = new GroupIndex<EntityId>();
  readonly #known = new Map<EntityId, { readonly name: string | null; readonly dependencies: readonly string[] }>();

  add(entity: Entity): void {
    if (entity.type !== 'package') return;
    const id = idOf(entity);
    const ecosystem = entity.ecosystem?.toLowerCase() ?? '';
    const keyOf = (name: string) => `${ecosystem} ${name}`;
    const name = entity.package_name === undefined ? null : keyOf(entity.package_name);
    const dependencies = dependencyNames(entity.metadata.dependencies).map(keyOf);
    this.#known.set(id, { name, dependencies });
    if (name !== null) this.#packages.add(name, id);
    for (const key of dependencies) this.#dependents.add(key, id);
  }

  remove(id: EntityId): void {
    const known = this.#known.get(id);
    if (known === undefined) return;
    this.#known.delete(id);
    if (known.name !== null) this.#packages.delete(known.name, id);
    for (const key of known.dependencies) this.#dependents.delete(key, id);
  }

  around(node: EntityId, isVisible: (node: EntityId) => boolean): readonly Edge[] {
    const known = this.#known.get(node);
    if (known === undefined) return [];
    const edges = new FirstEdges(isVisible);
    const add = (source: EntityId, target: EntityId, key: string) =>
      edges.add(source, target, key.slice(key.indexOf(' ') + 1));
    for (const key of known.dependencies) for (const target of this.#packages.get(key)) add(node, target, key);
    if (known.name !== null) for (const source of this.#dependents.get(known.name)) add(source, node, known.name);
    return edges.take('dependency', 'REQUIRES');
  }
}

function dependencyNames(value: unknown): readonly string[] {
  const names = Array.isArray(value) ? value : isJsonObject(value) ? Object.keys(value) : [];
  return [...new Set(names.filter((name) => typeof name === 'string'))];
}
