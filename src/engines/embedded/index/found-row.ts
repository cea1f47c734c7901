import type { Explanation } from '../../../model/answer/explanation.ts';
import type { EntityId, EntityType } from '../../../model/entity.ts';
import { FIELDS, type Field, type UnitId, type UnitKind } from '../../../model/entity-parts/unit.ts';
import type { EntityFacts } from '../../../model/query/filter.ts';
import type { FoundUnit } from '../../../search/retrieval/retrieval.ts';
import { type Actions, actionsOfTool } from '../../../search/text/action-words.ts';
import type { EntityRow, UnitRow } from './unit-table.ts';

/** What all rows of one search share: the index and the query. */
export interface RowSource {
  /** Whether the row still has the unit that was found there. */
  holds(unit: UnitRow): boolean;
  /** Bits in the order of FIELDS. */
  matchedFields(row: number): number;
  adjacentWords(row: number): number;
  /** Read from the record. */
  description(row: number): string;
  /** The cosine with the whole query; null for a query without parts, whose vector scores are cosines. */
  readonly cosine: ((row: number) => number | null) | null;
  explain(row: number): Explanation;
}

/**
 * A unit that was found in a row. A search makes hundreds of these and reads most of them once or twice, so they copy nothing
 * of `place`: it is seldom in the processor's cache. The kind is from a column of the table.
 */
export class FoundRow implements FoundUnit {
  at = -1;
  keyword: number | null = null;
  vector: number | null = null;
  // Not `#`: setting private names up takes as long as all the rest.
  private readonly place: UnitRow;
  private readonly owner: EntityRow;
  private readonly source: RowSource;
  readonly row: number;
  readonly group: number;
  readonly kind: UnitKind;

  constructor(row: number, place: UnitRow, owner: EntityRow, group: number, kind: UnitKind, source: RowSource) {
    this.row = row;
    this.place = place;
    this.owner = owner;
    this.source = source;
    this.group = group;
    this.kind = kind;
  }

  get unit(): UnitId {
    return this.place.id;
  }

  get entity(): EntityId {
    return this.place.entity;
  }

  get type(): EntityType {
    return this.place.type;
  }

  get title(): string {
    return this.place.title;
  }

  get actions(): Actions {
    if (this.kind !== 'tool') return 0;
    const { place, source } = this;
    place.actions ??= actionsOfTool(place.title, () => (source.holds(place) ? source.description(place.row) : ''));
    return place.actions;
  }

  get facts(): EntityFacts {
    return this.owner.facts;
  }

  /** Whether the row still has the unit. */
  get isHeld(): boolean {
    return this.source.holds(this.place);
  }

  similarity(): number | null {
    const { vector, place, source } = this;
    return vector === null || source.cosine === null || !source.holds(place) ? vector : source.cosine(place.row);
  }

  matchedFields(): readonly Field[] {
    return this.source.holds(this.place) ? fieldsIn(this.source.matchedFields(this.place.row)) : [];
  }

  adjacentWords(): number {
    return this.source.holds(this.place) ? this.source.adjacentWords(this.place.row) : 0;
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
