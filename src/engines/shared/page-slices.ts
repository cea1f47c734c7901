import type { CopiedEntity, CopyChanges } from '../embedded/local-copy.ts';
import type { ChangedEntity, RecordPage } from './shared-record.ts';

/** Units that are put at once: some ten milliseconds of work. */
const MAX_UNITS = 100;
/** Vectors, annotations, edges and deletions at once: some milliseconds. */
const MAX_ROWS = 200;

/** The changes of a page in slices, in an order in which they can be applied. At least one. */
export function pageSlices(page: RecordPage): readonly CopyChanges[] {
  const slices: CopyChanges[] = [];
  for (const deleted of chunks(page.deleted, MAX_ROWS)) slices.push({ deleted });
  for (const entities of chunksOfUnits(page.entities)) slices.push({ entities: entities.map(toCopied) });
  for (const annotations of chunks(page.annotations, MAX_ROWS)) slices.push({ annotations });
  for (const vectors of chunks(page.vectors, MAX_ROWS)) slices.push({ vectors });
  for (const edges of chunks(page.edges, MAX_ROWS)) slices.push({ edges });
  return isSmall(page) ? [Object.assign({}, ...slices)] : slices;
}

/** One of each kind of slice: readers see all of it at once. */
function isSmall({ deleted, entities, annotations, vectors, edges }: RecordPage): boolean {
  const rows = deleted.length + annotations.length + vectors.length + edges.length;
  return rows <= MAX_ROWS && unitsIn(entities) <= MAX_UNITS;
}

const unitsIn = (entities: readonly ChangedEntity[]): number =>
  entities.reduce((count, { units }) => count + units.length, 0);

function toCopied({ json, units, createdAt, updatedAt, annotations, vectors }: ChangedEntity): CopiedEntity {
  const indexed = { entity: JSON.parse(json), units, createdAt, updatedAt };
  return { indexed, whole: { annotations, vectors } };
}

function* chunks<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size);
}

function* chunksOfUnits(entities: readonly ChangedEntity[]): Generator<readonly ChangedEntity[]> {
  let chunk: ChangedEntity[] = [];
  for (const entity of entities) {
    if (chunk.length > 0 && unitsIn(chunk) + entity.units.length > MAX_UNITS) {
      yield chunk;
      chunk = [];
    }
    chunk.push(entity);
  }
  if (chunk.length > 0) yield chunk;
}
