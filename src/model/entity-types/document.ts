import { z } from 'zod';
import { type EntityTypeDescriptor, PLAIN } from './descriptor.ts';
import { otherHit, sharedFields, text } from './fields.ts';
import { textUnits } from './make-units.ts';

const schema = z.object({
  type: z.literal('document'),
  ...sharedFields,
  name: text(1024).default(''),
  body: text(20_000_000).default(''),
  source_url: text(2048).optional(),
});

export const document = {
  ...PLAIN,
  schema,
  role: 'content',
  words: ['document', 'documents'],
  group: 'documents',
  hit: otherHit,
  units: (document) => textUnits(document, document.body),
} as const satisfies EntityTypeDescriptor<z.output<typeof schema>>;
