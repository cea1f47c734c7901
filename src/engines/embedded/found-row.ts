import type { EntityId, EntityType } from '../../model/entity.ts';
import type { Explanation } from '../../model/explanation.ts';
import type { EntityFacts } from '../../model/filter.ts';
import { FIELDS, type Field, type UnitId, type UnitKind } from '../../model/unit.ts';
import type { FoundUnit } from '../../search/retrieval/retrieval.ts';
import type { EntityRow, UnitRow } from './unit-table.ts';

/** What all rows of one search share: the index and the query. */
export interface RowSource {
  /** Whether the row still has the unit that was found there. */
  holds(unit: UnitRow): boolean;
  /** Bits in the order of FIELDS. */
  matchedFields(row: number): number;
  /** The cosine with the whole query; null for a query without parts, whose vector scores are cosines. */
  readonly cosine: ((row: number) => number | null) | null;
  explain(row: number): Explanation;
}

/** A unit that was found in a row. */
export class FoundRow implements FoundUnit {
  readonly unit: UnitId;
  readonly entity: EntityId;
  readonly type: EntityType;
  readonly kind: UnitKind;
  readonly title: string;
  at = -1;
  keyword: number | null = null;
  vector: number | null = null;
  // Not `#`: setting private names up takes as long as all the rest, and a search makes hundreds of these.
  private readonly place: UnitRow;
  private readonly owner: EntityRow;
  private readonly source: RowSource;

  constructor(row: UnitRow, owner: EntityRow, source: RowSource) {
    this.unit = row.id;
    this.entity = row.entity;
    this.type = row.type;
    this.kind = row.kind;
    this.title = row.title;
    this.place = row;
    this.owner = owner;
    this.source = source;
  }

  get row(): number {
    return this.place.row;
  }

  get facts(): EntityFacts {
    return this.owner.facts;
  }

  similarity(): number | null {
    const { vector, place, source } = this;
    return vector === null || source.cosine === null || !source.holds(place) ? vector : source.cosine(place.row);
  }

  matchedFields(): readonly Field[] {
    return this.source.holds(this.place) ? fieldsIn(this.source.matchedFields(this.place.row)) : [];
  }

  explainKeyword(): Explanation | undefined {
    return this.keyword === null || !this.source.holds(this.place) ? undefined : this.source.explain(this.place.row);
  }
}

const FIELD_SETS = new Map<number, readonly Field[]>();

/** The fields whose bits are set, made once for each of the few sets there are. */
function fieldsIn(bits: number): readonly Field[] {
  let fields = FIELD_SETS.get(bits);
  if (fields === undefined) {
    fields = Object.freeze(FIELDS.filter((_, field) => (bits & (1 << field)) !== 0));
    FIELD_SETS.set(bits, fields);
  }
  return fields;
}
