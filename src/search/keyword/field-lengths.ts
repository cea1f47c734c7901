import { FIELDS } from '../../model/entity-parts/unit.ts';
import type { Bitset } from '../filter/bitset.ts';
import { grown } from '../rows/grown.ts';

/** The field lengths of every row and their averages. Sums of whole numbers, so removing a row undoes adding it exactly. */
export class FieldLengths {
  #values: Uint32Array;
  readonly #totals = new Float64Array(FIELDS.length);
  readonly #units = new Float64Array(FIELDS.length);

  /** Uses the array without copying: FIELDS.length numbers per row, all 0 for an unused row. */
  constructor(values: Uint32Array = new Uint32Array(0)) {
    this.#values = values;
    for (let field = 0; field < FIELDS.length; field++)
      for (let at = field; at < values.length; at += FIELDS.length) this.#count(field, values[at]!, 1);
  }

  /** FIELDS.length numbers per row. Valid until the next `set`. */
  get values(): Uint32Array {
    return this.#values;
  }

  /** One more than the highest row. */
  get rowCount(): number {
    return this.#values.length / FIELDS.length;
  }

  of(row: number, field: number): number {
    return this.#values[row * FIELDS.length + field] ?? 0;
  }

  /** The average over the units with this field; 0 if there are none. */
  average(field: number): number {
    return this.#units[field] === 0 ? 0 : this.#totals[field]! / this.#units[field]!;
  }

  /** The same lengths with the averages of some rows. Valid until the next `set`. `size`: how many rows these are. */
  within(rows: Bitset, all: Bitset, size: number): FieldLengths {
    const part = new FieldLengths();
    part.#values = this.#values;
    // Sums of whole numbers are exact, so the shorter way gives the same averages.
    const isMost = 2 * size > all.count();
    if (isMost) {
      part.#totals.set(this.#totals);
      part.#units.set(this.#units);
    }
    const skipped = isMost ? rows.words : null;
    const listed = isMost ? all.words : rows.words;
    for (let at = 0; at < listed.length; at++) {
      let word = skipped === null ? listed[at]! : listed[at]! & ~(skipped[at] ?? 0);
      for (; word !== 0; word &= word - 1) part.#countRow((at << 5) + (31 - Math.clz32(word & -word)), isMost ? -1 : 1);
    }
    return part;
  }

  set(row: number, lengths: ArrayLike<number>): void {
    const base = row * FIELDS.length;
    if (base + FIELDS.length > this.#values.length) this.#values = grown(this.#values, base + FIELDS.length);
    for (let field = 0; field < FIELDS.length; field++) {
      this.#count(field, this.#values[base + field]!, -1);
      this.#values[base + field] = lengths[field]!;
      this.#count(field, lengths[field]!, 1);
    }
  }

  clear(row: number): void {
    this.set(row, new Uint32Array(FIELDS.length));
  }

  #countRow(row: number, sign: 1 | -1): void {
    for (let field = 0; field < FIELDS.length; field++) this.#count(field, this.of(row, field), sign);
  }

  #count(field: number, length: number, sign: 1 | -1): void {
    if (length === 0) return;
    this.#totals[field] = this.#totals[field]! + sign * length;
    this.#units[field] = this.#units[field]! + sign;
  }
}
