import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { phrase, reach } from './world-words.ts';

export const COLLECTIONS = ['c0', 'c1', 'c2'] as const;
export const MAX_FILES = 3;

/** The id of a file, the same in both registries. */
export const fileIdOf = (collection: string, path: string): string =>
  createHash('sha256').update(`${collection}/${path}`).digest('hex').slice(0, 16);
export const chunkIdIn = (fileId: string): string => `${fileId}-${fileId}`;

/** A collection of documents. A file may have fewer readers than its collection. */
export const collection = fc.record({
  name: fc.constantFrom(...COLLECTIONS),
  note: phrase(3),
  reach,
  files: fc.array(fc.record({ title: phrase(2), text: phrase(20), isHidden: fc.nat(3).map((n) => n === 0) }), {
    minLength: 1,
    maxLength: MAX_FILES,
  }),
});
export type WorldCollection = typeof collection extends fc.Arbitrary<infer C> ? C : never;

/** The ids of files that were sent and became memories. */
export const UPLOADS = ['a', 'b'].map((digit) => digit.repeat(32));

/** A memory, stored by its content: public, or in the namespace of a group. It may be a chunk of an uploaded file. */
export const remembered = fc.record({
  content: phrase(6),
  namespace: fc.constantFrom(null, null, 'ops', 'dev', 'secret'),
  upload: fc.constantFrom(null, null, ...UPLOADS),
});
export type Remembered = typeof remembered extends fc.Arbitrary<infer R> ? R : never;
