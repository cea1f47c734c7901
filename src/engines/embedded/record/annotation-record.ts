import type { EntityId } from '../../../model/entity.ts';
import { fromStoredText, toStoredText } from '../../stored-text.ts';
import type { Statements } from './statements.ts';

type Annotations = Readonly<Record<string, unknown>>;
type AnnotationWrites = Pick<Statements, 'putAnnotation' | 'dropAnnotation'>;
type AnnotationReads = Pick<Statements, 'annotationsOf' | 'annotationsOfMany' | 'annotated'>;

/** The statements about annotations of entities. Entities are named by their numbers. */
export class AnnotationRecord {
  readonly #sql: AnnotationWrites;
  readonly #reads: () => AnnotationReads;

  /** `reads`: what to read with now. */
  constructor(sql: AnnotationWrites, reads: () => AnnotationReads) {
    this.#sql = sql;
    this.#reads = reads;
  }

  /** Null deletes it. Call it inside a transaction. */
  put(no: number, key: string, value: unknown): void {
    if (value === null) this.#sql.dropAnnotation.run(no, toStoredText(key));
    else this.#sql.putAnnotation.run(no, toStoredText(key), JSON.stringify(value));
  }

  of(no: number): Annotations {
    const cells = this.#reads().annotationsOf.iterate<{ key: string; value: string }>(no);
    return Object.fromEntries(Array.from(cells, ({ key, value }) => [fromStoredText(key), JSON.parse(value)]));
  }

  /** The same of several at once, by number: a list asks for a page, and a statement for each would cost more than the rest. */
  ofMany(nos: readonly number[]): ReadonlyMap<number, Annotations> {
    const found = new Map<number, Record<string, unknown>>();
    type Cell = { entity: number; key: string; value: string };
    for (const { entity, key, value } of this.#reads().annotationsOfMany.iterate<Cell>(JSON.stringify(nos))) {
      const notes = found.get(entity) ?? {};
      notes[fromStoredText(key)] = JSON.parse(value);
      found.set(entity, notes);
    }
    return found;
  }

  /** All entities with this annotation, in no order. */
  *withKey(key: string): Generator<readonly [EntityId, unknown]> {
    for (const { id, value } of this.#reads().annotated.iterate<{ id: string; value: string }>(toStoredText(key))) {
      yield [fromStoredText(id) as EntityId, JSON.parse(value)];
    }
  }
}
