import { type Entity, type EntityId, idOf } from '../../model/entity.ts';
import type { Edge } from '../../model/entity-parts/edge.ts';
import type { Derivation } from './derivation.ts';
import { FirstEdges } from './first-edges.ts';
import { GroupIndex } from './group-index.ts';
import { type InstalledPackage, installsIn, pypiName } from './install-lines.ts';

/** Cheaper than reading every line of a text that installs nothing. */
const INSTALLER = /\b(?:npm|pnpm|npx|yarn|bunx?|pip[\dx]*|uvx?|poetry|cargo|gem|bundle|composer|go|docker|brew) /;
const MAX_TEXT = 100_000;

const keyOf = ({ ecosystem, name }: InstalledPackage): string => `${ecosystem} ${name}`;

/** The text of an entity tells its reader to install a package that is registered. */
export class InstallLinks implements Derivation {
  readonly #packages = new GroupIndex<EntityId>();
  readonly #installing = new GroupIndex<EntityId>();
  readonly #names = new Map<EntityId, string>();
  readonly #installs = new Map<EntityId, readonly string[]>();

  add(entity: Entity): void {
    const id = idOf(entity);
    const name = packageKey(entity);
    if (name !== null) {
      this.#names.set(id, name);
      this.#packages.add(name, id);
    }
    // The install line of a package is that of itself, or of what it is used with.
    const installs = entity.type === 'package' ? [] : installedBy(entity);
    if (installs.length === 0) return;
    this.#installs.set(id, installs);
    for (const key of installs) this.#installing.add(key, id);
  }

  remove(id: EntityId): void {
    const name = this.#names.get(id);
    if (name !== undefined) this.#packages.delete(name, id);
    for (const key of this.#installs.get(id) ?? []) this.#installing.delete(key, id);
    this.#names.delete(id);
    this.#installs.delete(id);
  }

  around(node: EntityId, isVisible: (node: EntityId) => boolean): readonly Edge[] {
    const edges = new FirstEdges(isVisible);
    const add = (source: EntityId, target: EntityId, key: string) =>
      edges.add(source, target, key.slice(key.indexOf(' ') + 1));
    for (const key of this.#installs.get(node) ?? [])
      for (const target of this.#packages.get(key)) add(node, target, key);
    const name = this.#names.get(node);
    if (name !== undefined) for (const source of this.#installing.get(name)) add(source, node, name);
    return edges.take('install', 'REQUIRES');
  }
}

function packageKey(entity: Entity): string | null {
  if (entity.type !== 'package' || entity.package_name === undefined) return null;
  const ecosystem = entity.ecosystem?.toLowerCase() ?? '';
  const name = ecosystem === 'pypi' ? pypiName(entity.package_name) : entity.package_name;
  return keyOf({ ecosystem, name });
}

function installedBy(entity: Entity): readonly string[] {
  const body = entity.type === 'skill' ? `\n${entity.body}` : '';
  const text = `${entity.description}${body}`.slice(0, MAX_TEXT);
  return INSTALLER.test(text) ? installsIn(text).map(keyOf) : [];
}
