import { z } from 'zod';
import type { Filter } from './filter.ts';

/** Which documents may match. */
export const documentFilterSchema = z
  .strictObject({
    collections: z
      .array(z.string().max(128))
      .max(1000)
      .optional()
      .describe('Only documents of any of these collections. Ignores case.'),
    chunks: z.boolean().default(false).describe('Return each matching chunk as a result, not each document once.'),
  })
  .describe('Which documents may match. Entities of other types have no such fields.');
export type DocumentFilter = z.output<typeof documentFilterSchema>;

export function documentClauses({ collections, chunks }: DocumentFilter): Pick<Filter, 'collections' | 'unitKinds'> {
  return {
    ...(collections === undefined ? {} : { collections }),
    ...(chunks ? { unitKinds: ['chunk'] as const } : {}),
  };
}
