import { z } from 'zod';
import { flattenMetadata, representativeQueries } from '../metadata-text.ts';
import { type EntityTypeDescriptor, PLAIN } from './descriptor.ts';
import { jsonObject, nonEmpty, otherHit, sharedFields, strings, text } from './fields.ts';
import { cardOf, joined, labeled } from './make-units.ts';

const relationSchema = z.object({
  type: nonEmpty(64),
  target: nonEmpty(512),
  weight: z.number().min(0).default(1),
});

const schema = z.object({
  type: z.literal('package'),
  ...sharedFields,
  ecosystem: text(64).optional(),
  package_name: text(256).optional(),
  language: text(64).optional(),
  languages: strings(20),
  category: text(128).optional(),
  deployment: strings(10),
  install: text(1024).optional(),
  relations: z.array(relationSchema).max(500).default([]),
  health: jsonObject.optional(),
});

export const packageType = {
  ...PLAIN,
  schema,
  role: 'reference',
  words: ['package', 'packages'],
  group: 'packages',
  hit: otherHit,
  units(pkg) {
    const { name, description, language, category, tags } = pkg;
    const facts = [
      pkg.ecosystem,
      pkg.package_name,
      language,
      ...pkg.languages,
      category,
      ...pkg.deployment,
      pkg.license,
    ];
    const metadata = joined('\n', ...facts, flattenMetadata(pkg.metadata));
    const kind = joined(' ', language, category);
    const embed = [name, description, kind, labeled('Tags', tags), ...representativeQueries(pkg.metadata)];
    return [cardOf(pkg, { metadata }, embed, [pkg.package_name, pkg.repository])];
  },
} as const satisfies EntityTypeDescriptor<z.output<typeof schema>>;
