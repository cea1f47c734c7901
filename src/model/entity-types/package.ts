import { z } from 'zod';
import { flattenMetadata, representativeQueries } from '../text/metadata-text.ts';
import { type EntityTypeDescriptor, PLAIN } from './descriptor.ts';
import { otherHit, sharedFields, strings, text } from './fields.ts';
import { cardOf, joined, labeled } from './make-units.ts';

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
  /** Published versions, to find one that a peer accepts. */
  versions: z.array(text(128)).max(500).optional(),
  /** Packages that must be there in a range of versions, in the words of the ecosystem. */
  peers: z
    .array(z.object({ name: text(256), range: text(256), optional: z.boolean().default(false) }))
    .max(200)
    .optional(),
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
