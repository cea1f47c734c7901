import { z } from 'zod';
import { type EntityTypeDescriptor, PLAIN } from './descriptor.ts';
import { nonEmpty, otherHit, sharedFields, text } from './fields.ts';
import { textUnits } from './make-units.ts';

const schema = z.object({
  type: z.literal('memory'),
  ...sharedFields,
  name: text(1024).default(''),
  content: nonEmpty(1_000_000),
  memory_type: text(64).optional(),
});

export const memory = {
  ...PLAIN,
  schema,
  role: 'content',
  words: ['memory', 'memories'],
  group: 'memories',
  hit: otherHit,
  cardText: ({ content }) => content,
  units: (memory) => textUnits(memory, memory.content),
} as const satisfies EntityTypeDescriptor<z.output<typeof schema>>;
