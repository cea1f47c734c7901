import type { Caller } from '../model/caller/caller.ts';
import { type Entity, type EntityId, idOf } from '../model/entity.ts';
import { compareEdges, type Edge } from '../model/entity-parts/edge.ts';
import { readerKeys } from '../model/query/filter.ts';
import { DependencyLinks } from './derive/dependency-links.ts';
import type { Derivation } from './derive/derivation.ts';
import { GivenRelations } from './derive/given-relations.ts';
import { InstallLinks } from './derive/install-links.ts';
import { MemoryLinks } from './derive/memory-links.ts';
import { MentionLinks } from './derive/mention-links.ts';
import { RareTagLinks } from './derive/rare-tag-links.ts';
import { SchemaLinks } from './derive/schema-links.ts';
import { VirtualServerLinks } from './derive/virtual-server-links.ts';
import { serversOfTool } from './tool-node.ts';

/** The edges of entities: those that they state, and those that follow from them. In memory, in step with the record. */
export class EntityGraph {
  readonly #readers = new Map<EntityId, readonly string[]>();
  readonly #readerLists = new Map<string, readonly string[]>();
  readonly #given = new GivenRelations();
  readonly #derivations: readonly Derivation[] = [
    new SchemaLinks(),
    new VirtualServerLinks(),
    new DependencyLinks(),
    new InstallLinks(),
    new MentionLinks(),
    new RareTagLinks(),
    new MemoryLinks(),
  ];

  set(entity: Entity): void {
    if (this.#readers.has(idOf(entity))) this.delete(idOf(entity));
    this.#readers.set(idOf(entity), this.#shared(readerKeys(entity)));
    this.#given.add(entity);
    for (const derivation of this.#derivations) derivation.add(entity);
  }

  delete(id: EntityId): void {
    this.#readers.delete(id);
    this.#given.remove(id);
    for (const derivation of this.#derivations) derivation.remove(id);
  }

  /** Most entities have the same readers: one list for all of them. */
  #shared(readers: readonly string[]): readonly string[] {
    const key = readers.join('\n');
    const known = this.#readerLists.get(key);
    if (known === undefined) this.#readerLists.set(key, readers);
    return known ?? readers;
  }

  /** What is stated. Only these may change the order of results. */
  given(node: EntityId): readonly Edge[] {
    return this.#given.around(node);
  }

  /** What follows, strongest first. These complete a set of results. */
  derived(node: EntityId, caller: Caller): readonly Edge[] {
    const edges: Edge[] = [];
    const { readers } = caller;
    const isReadable = (id: EntityId) =>
      readers === null || this.#readers.get(id)?.some((key) => readers.includes(key)) === true;
    const isVisible = (node: EntityId) =>
      isReadable(node) || serversOfTool(node).some(({ server }) => isReadable(server));
    for (const derivation of this.#derivations) edges.push(...derivation.around(node, isVisible));
    return edges.sort(compareEdges);
  }
}
