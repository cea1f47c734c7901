import { z } from 'zod';
import { momentSchema } from '../entity-types/memory.ts';
import { type MemoryLabelKind, memoryLabel, SOURCE_CLASSES } from '../entity-types/memory-facts.ts';
import { CERTAINTY_DAYS } from './certainty.ts';
import type { Filter } from './filter.ts';

const words = z.array(z.string().max(512)).max(100);

/** Which memories may match, besides type, tags and status. Every given field must hold. */
export const memoryFilterSchema = z.strictObject({
  types: words.optional().describe('Any of these memory types. Ignores case.'),
  sources: z
    .array(z.enum(SOURCE_CLASSES))
    .max(SOURCE_CLASSES.length)
    .optional()
    .describe('Any of these source classes.'),
  agents: words.optional().describe('Of any of these agents.'),
  conversations: words.optional().describe('Of any of these conversations.'),
  namespaces: words.optional().describe('In any of these namespaces.'),
  tags_any: words.optional().describe('With any of these tags. Ignores case.'),
  after: momentSchema.optional().describe('Learned at this time or later.'),
  before: momentSchema.optional().describe('Learned before this time.'),
  as_of: momentSchema.optional().describe('True at this time.'),
  ends_after: momentSchema.optional().describe('Still true at this time.'),
  certainty: z
    .strictObject({
      min: z.number().min(0, 'must be from 0 to 1').max(1, 'must be from 0 to 1'),
      at: momentSchema,
      halves_in_days: z.number().positive('must be above 0').default(CERTAINTY_DAYS),
    })
    .optional()
    .describe('Still this sure at a time, 0 to 1.'),
});
export type MemoryFilter = z.output<typeof memoryFilterSchema>;

const LABELS: readonly (readonly [keyof MemoryFilter, MemoryLabelKind])[] = [
  ['types', 'type'],
  ['sources', 'source'],
  ['agents', 'agent'],
  ['conversations', 'conversation'],
  ['namespaces', 'namespace'],
];

type Clauses = Pick<Filter, 'labels' | 'tagsAny' | 'since' | 'until' | 'startedBy' | 'endsAfter' | 'certain'>;

/** The clauses of a filter of memories. */
export function memoryClauses(filter: MemoryFilter): Clauses {
  const { tags_any, after, before, as_of, ends_after, certainty } = filter;
  const labels = LABELS.flatMap(([field, kind]) => {
    const values = filter[field] as readonly string[] | undefined;
    return values === undefined ? [] : [Object.freeze(values.map((value) => memoryLabel(kind, value)))];
  });
  const ends = [as_of, ends_after].flatMap((text) => (text === undefined ? [] : [Date.parse(text)]));
  return {
    ...(labels.length === 0 ? {} : { labels }),
    ...(tags_any === undefined ? {} : { tagsAny: tags_any }),
    ...(after === undefined ? {} : { since: Date.parse(after) }),
    ...(before === undefined ? {} : { until: Date.parse(before) }),
    ...(as_of === undefined ? {} : { startedBy: Date.parse(as_of) }),
    ...(ends.length === 0 ? {} : { endsAfter: Math.max(...ends) }),
    ...(certainty === undefined
      ? {}
      : { certain: { least: certainty.min, at: Date.parse(certainty.at), days: certainty.halves_in_days } }),
  };
}
