import type { EntityId } from '../../model/entity.ts';
import { EntityCache } from './entity-cache.ts';
import { freezeJson } from './freeze-json.ts';
import type { EntityRow } from './index/unit-table.ts';
import type { AnnotationRecord } from './record/annotation-record.ts';

type Annotations = Readonly<Record<string, unknown>>;

interface Annotated {
  readonly id: EntityId;
  /** Null without annotations. Most entities have none or a few short ones. */
  readonly annotations: Annotations | null;
}

interface Table {
  entity(id: EntityId): Pick<EntityRow, 'no'> | undefined;
}

/** An entry without annotations is as large as this many characters. */
const MIN_CHARS = 64;
const LIMITS = { maxEntities: 65_536, maxChars: 10_000_000 };

/** Reads annotations by entity. Those that are not cached are read with one statement. */
export class AnnotationReader {
  readonly #record: Pick<AnnotationRecord, 'ofMany'>;
  readonly #table: Table;
  readonly #cache = new EntityCache<Annotated>(LIMITS);

  constructor(record: Pick<AnnotationRecord, 'ofMany'>, table: Table) {
    this.#record = record;
    this.#table = table;
  }

  /** Call it when an entity or its annotations were changed or deleted. */
  forget(id: EntityId): void {
    this.#cache.delete(id);
  }

  /** Those of `ids` that have any, in their order. Frozen, because all callers get the same objects, until one changes. */
  getMany(ids: readonly EntityId[]): ReadonlyMap<EntityId, Annotations> {
    const missing = new Map<EntityId, number>();
    const read = new Map<EntityId, Annotations | null>();
    for (const id of ids) {
      const cached = this.#cache.get(id);
      const no = cached === undefined ? this.#table.entity(id)?.no : undefined;
      if (no !== undefined) missing.set(id, no);
      read.set(id, cached?.annotations ?? null);
    }
    if (missing.size > 0) {
      const byNo = this.#record.ofMany([...missing.values()]);
      for (const [id, no] of missing) read.set(id, this.#keep(id, byNo.get(no) ?? null));
    }
    const found = new Map<EntityId, Annotations>();
    for (const [id, annotations] of read) if (annotations !== null) found.set(id, annotations);
    return found;
  }

  #keep(id: EntityId, annotations: Annotations | null): Annotations | null {
    if (annotations !== null) freezeJson(annotations);
    const chars = annotations === null ? 0 : JSON.stringify(annotations).length;
    this.#cache.set({ id, annotations }, MIN_CHARS + chars);
    return annotations;
  }
}
