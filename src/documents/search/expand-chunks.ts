import { type DocumentPart, partText } from '../../model/entity-types/document.ts';
import { chunkIdOf, type DocumentEntity } from '../collections/document-parts.ts';
import type { Nearby } from '../contract/document-answers.ts';
import type { Expand } from '../contract/document-requests.ts';
import { positionOf } from './to-chunk.ts';

type Role = Nearby['role'];
type Headed = Pick<DocumentPart, 'headings'>;

const startsWith = (longer: readonly string[], start: readonly string[]): boolean =>
  start.every((heading, at) => longer[at] === heading);

/** The nearest chunk above under a heading that contains this one's; -1 without one. */
export function parentOf(chunks: readonly Headed[], index: number): number {
  const { headings } = chunks[index]!;
  for (let at = index - 1; at >= 0; at--) {
    const above = chunks[at]!.headings;
    if (above.length < headings.length && startsWith(headings, above)) return at;
  }
  return -1;
}

/** The chunks from the outermost heading down to this one. */
export function pathTo(chunks: readonly Headed[], index: number): readonly number[] {
  const parent = parentOf(chunks, index);
  return parent < 0 ? [index] : [...pathTo(chunks, parent), index];
}

const isSameSection = (chunks: readonly Headed[], a: number, b: number): boolean => {
  const [one, other] = [chunks[a]!.headings, chunks[b]!.headings];
  return one.length === other.length && startsWith(one, other);
};

/**
 * The chunks to show with a hit, best first: the parent, then neighbors, the nearest first, then the rest of the section.
 * All are of the same document. Those in `shown` are left out.
 */
export function placesAround(
  chunks: readonly Headed[],
  index: number,
  { before, after, parent, section, max_chunks }: Expand,
  shown: ReadonlySet<number>,
): ReadonlyMap<number, Role> {
  const places = new Map<number, Role>();
  const add = (at: number, role: Role) => {
    if (at < 0 || at >= chunks.length || at === index || shown.has(at)) return;
    if (places.size < max_chunks && !places.has(at)) places.set(at, role);
  };
  if (parent) add(parentOf(chunks, index), 'parent');
  for (let step = 1; step <= Math.max(before, after); step++) {
    if (step <= before) add(index - step, 'before');
    if (step <= after) add(index + step, 'after');
  }
  if (!section) return places;
  for (let step = 1; step < chunks.length; step++) {
    for (const at of [index - step, index + step]) {
      if (chunks[at] !== undefined && isSameSection(chunks, at, index)) add(at, 'section');
    }
  }
  return places;
}

/** The same as chunks, in the order of the document. */
export function nearbyChunks(
  document: DocumentEntity,
  index: number,
  expand: Expand,
  shown: ReadonlySet<number>,
): Nearby[] {
  const places = [...placesAround(document.chunks, index, expand, shown)].sort(([a], [b]) => a - b);
  return places.map(([at, role]) => {
    const part = document.chunks[at]!;
    const text = partText(document, part);
    const chunk_id = chunkIdOf(document, part.id);
    return { chunk_id, text, role, heading_path: part.headings, position: positionOf(part, at) };
  });
}
