import { z } from 'zod';
import { type EntityTypeDescriptor, PLAIN } from './descriptor.ts';
import { otherHit } from './hit-fields.ts';
import { textUnits } from './make-units.ts';
import { nonEmpty, sharedFields, text } from './shared-fields.ts';

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
