import type { EntityId } from '../../model/entity.ts';
import { type Edge, edgeKey } from '../../model/entity-parts/edge.ts';
import type { CopyChanges } from '../embedded/local-copy.ts';
import type { RecordPage } from '../shared-record.ts';

/** What is deleted in one write of the copy. */
const AT_ONCE = 100;

/**
 * Makes a copy equal to a record that went back in time, in place: everything is read again over what the copy has, and what the
 * record did not have is deleted at the end. Searches are answered meanwhile.
 */
export class Rebuild {
  readonly #entities = new Set<EntityId>();
  readonly #edges = new Set<string>();

  /** Notes what a page of the record has. */
  read({ entities, deleted, edges }: RecordPage): void {
    for (const { id } of entities) this.#entities.add(id);
    for (const id of deleted) this.#entities.delete(id);
    for (const { edge, isDeleted } of edges) {
      if (isDeleted) this.#edges.delete(edgeKey(edge));
      else this.#edges.add(edgeKey(edge));
    }
  }

  /** Deletes what the record does not have, of what the copy has. */
  *leftovers(entities: Iterable<EntityId>, edges: Iterable<Edge>): Generator<CopyChanges> {
    const gone = [...entities].filter((id) => !this.#entities.has(id));
    for (let at = 0; at < gone.length; at += AT_ONCE) yield { deleted: gone.slice(at, at + AT_ONCE) };
    const cut = [...edges].filter((edge) => !this.#edges.has(edgeKey(edge)));
    for (let at = 0; at < cut.length; at += AT_ONCE) {
      yield { edges: cut.slice(at, at + AT_ONCE).map((edge) => ({ edge, isDeleted: true })) };
    }
  }
}
