import { z } from 'zod';
import { STATUSES, VISIBILITIES } from '../entity-parts/names.ts';
import { SKILL_FILES, skillFileSchema } from '../entity-parts/skill-files.ts';
import { isJsonObject } from '../json/json-object.ts';
import { chunkText, markdownSections } from '../text/chunks.ts';
import { flattenMetadata, tellingMetadata } from '../text/metadata-text.ts';
import { type EntityTypeDescriptor, PLAIN } from './descriptor.ts';
import { healthStatus, hitScores, jsonObject, sharedFields, strings, text } from './fields.ts';
import { cardOf, introOf, joined, labeled, makeUnit } from './make-units.ts';

const schema = z.object({
  type: z.literal('skill'),
  ...sharedFields,
  body: text(1_000_000).default(''),
  author: text(256).optional(),
  compatibility: text(500).optional(),
  target_agents: strings(50),
  allowed_tools: strings(200),
  skill_md_url: text(2048).optional(),
  skill_md_raw_url: text(2048).optional(),
  registry_name: text(256).optional(),
  /** The files beside its SKILL.md. */
  files: z.array(skillFileSchema).max(SKILL_FILES.max).optional(),
  /** The ARD entry of its publisher, without its document. */
  ard_entry: jsonObject.optional(),
});

const hit = z.object({
  path: z.string(),
  skill_name: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  skill_md_url: z.string().nullable(),
  skill_md_raw_url: z.string().nullable(),
  version: z.string().nullable(),
  author: z.string().nullable(),
  visibility: z.enum(VISIBILITIES),
  owner: z.string().nullable(),
  is_enabled: z.boolean(),
  health_status: healthStatus,
  last_checked_time: z.string().nullable(),
  status: z.enum(STATUSES),
  ...hitScores,
  metadata: jsonObject.nullable(),
});

/**
 * Its metadata as text, and what of it to embed. The registry keeps the publisher's own fields one level down, in `extra`: they are
 * embedded whole, as its documents say.
 */
function metadataTexts(metadata: Readonly<Record<string, unknown>>) {
  const { extra, ...rest } = metadata;
  if (!isJsonObject(extra)) return { text: flattenMetadata(metadata), embedded: tellingMetadata(metadata, 'nested') };
  const own = flattenMetadata(extra);
  return {
    text: joined(' ', flattenMetadata(rest), own),
    embedded: joined(' ', tellingMetadata(rest, 'nested'), own),
  };
}

/** A value with a label before it; '' where there is no value. */
const said = (label: string, value: string | undefined) => (value === undefined ? '' : `${label} ${value}`);

export const skill = {
  ...PLAIN,
  schema,
  role: 'capability',
  words: ['skill', 'skills'],
  group: 'skills',
  hit,
  definitions: { fields: ['description', 'body', 'allowed_tools', 'files'] },
  pathPrefix: '/skills/',
  addresses: ({ skill_md_url, skill_md_raw_url }) => [skill_md_url, skill_md_raw_url],
  // As the registry's own search of skills does.
  listWords: ({ author = '', version = '' }) => [author, version],
  units(skill) {
    const { name, author } = skill;
    const { text: own, embedded } = metadataTexts(skill.metadata);
    const metadata = joined(
      ' ',
      said('author', author),
      said('version', skill.version),
      own,
      said('registry', skill.registry_name),
    );
    const identifiers = [skill.skill_md_url, skill.skill_md_raw_url, skill.repository];
    const card = cardOf(
      skill,
      { metadata },
      [
        ...introOf(skill),
        said('Compatibility:', skill.compatibility),
        labeled('For', skill.target_agents),
        said('Author:', author),
        embedded,
        said('version', skill.version),
      ],
      identifiers,
    );
    const sections = markdownSections(skill.body).flatMap(({ heading, text: section }) =>
      chunkText(section).map((chunk) => ({ heading, chunk })),
    );
    const units = sections.map(({ heading, chunk }, i) => {
      const embed = [joined(': ', name, heading), chunk];
      const title = heading === '' ? name : heading;
      return makeUnit(skill, `section:${i}`, 'section', title, { name: heading, metadata: name, body: chunk }, embed);
    });
    return [card, ...units];
  },
} as const satisfies EntityTypeDescriptor<z.output<typeof schema>>;
