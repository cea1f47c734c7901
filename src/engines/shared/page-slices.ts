import type { CopiedEntity, CopyChanges } from '../embedded/local-copy.ts';
import type { ChangedEntity, RecordPage } from '../shared-record.ts';

/** Up to here, a page is put at once, so that no reader sees half of a batch: about 20 milliseconds of work. */
export const WHOLE_UNITS = 100;
/** Vectors, annotations, edges and deletions: less work each. */
const WHOLE_ROWS = 300;
/** Of a larger page, slices are smaller: they follow each other closely, and searches run in between. */
const MAX_UNITS = 25;
const MAX_ROWS = 100;

/** All changes of a small page; null for a larger one. Readers see them at once. */
export function wholePage(page: RecordPage): CopyChanges | null {
  const { deleted, entities, annotations, vectors, edges } = page;
  const rows = deleted.length + annotations.length + vectors.length + edges.length;
  // Counting units parses them.
  if (rows > WHOLE_ROWS || entities.length > WHOLE_UNITS || unitsIn(entities) > WHOLE_UNITS) return null;
  return { deleted, entities: entities.map(toCopied), annotations, vectors, edges };
}

/** The changes of a page in slices, in an order in which they can be applied. Each is made when it is asked for. */
export function* pageSlices(page: RecordPage): Generator<CopyChanges> {
  for (const deleted of chunks(page.deleted, MAX_ROWS)) yield { deleted };
  for (const entities of chunksOfUnits(page.entities)) yield { entities: entities.map(toCopied) };
  for (const annotations of chunks(page.annotations, MAX_ROWS)) yield { annotations };
  for (const vectors of chunks(page.vectors, MAX_ROWS)) yield { vectors };
  for (const edges of chunks(page.edges, MAX_ROWS)) yield { edges };
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
  let units = 0;
  for (const entity of entities) {
    if (chunk.length > 0 && units + entity.units.length > MAX_UNITS) {
      yield chunk;
      chunk = [];
      units = 0;
    }
    chunk.push(entity);
    units += entity.units.length;
  }
  if (chunk.length > 0) yield chunk;
}
