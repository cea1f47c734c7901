import type { EntityId, EntityType } from '../../model/entity.ts';
import type { Explanation } from '../../model/explanation.ts';
import type { UnitId, UnitKind } from '../../model/unit.ts';
import type { UnitHit, UnitRef } from '../../search/ranking/ranked-list.ts';
import type { UnitRow } from './unit-table.ts';

/** A hit that remembers its row, so that asking about it again needs no search by name. To others it is any hit. */
export class RowHit implements UnitHit {
  readonly unit: UnitId;
  readonly entity: EntityId;
  readonly type: EntityType;
  readonly kind: UnitKind;
  readonly title: string;
  readonly score: number;
  declare readonly detail?: Explanation;
  readonly #row: UnitRow;

  constructor(unit: UnitRow, score: number) {
    this.unit = unit.id;
    this.entity = unit.entity;
    this.type = unit.type;
    this.kind = unit.kind;
    this.title = unit.title;
    this.score = score;
    this.#row = unit;
  }

  /** Undefined for a hit of another make. */
  static rowOf(hit: UnitRef): UnitRow | undefined {
    return #row in hit ? hit.#row : undefined;
  }
}
