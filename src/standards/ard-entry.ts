import { z } from 'zod';
import type { EntityId } from '../model/entity.ts';
import { idOf } from '../model/entity.ts';
import { airIdentifier, airKey } from './air-identifier.ts';
import { ARD_TYPES, ardPartsOf, type Discoverable, type DiscoverableType } from './ard-types.ts';
import { webUrl } from './fitting-text.ts';

/** The base context of ARD 0.91, for readers that do not apply it by default. */
export const ARD_CONTEXT = 'https://agenticresourcediscovery.org/context/v1';
export const AI_REGISTRY_TYPE = 'application/ai-registry+json';

/** ARD requires two to five. */
const MIN_QUERIES = 2;
const MAX_QUERIES = 5;
const MAX_CAPABILITIES = 100;

export const ardEntrySchema = z.object({
  '@context': z.string().optional(),
  identifier: z.string().describe('`urn:air:<domain>:<namespace>:<name>`.'),
  displayName: z.string(),
  type: z.string().describe('The media type of the artifact.'),
  url: z.string().describe('The artifact itself: a server card, an agent card, a SKILL.md.'),
  description: z.string().optional(),
  tags: z.array(z.string()).optional(),
  capabilities: z.array(z.string()).optional().describe('Names of its tools or skills.'),
  representativeQueries: z.array(z.string()).optional(),
  version: z.string().optional(),
  updatedAt: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
export type ArdEntry = z.output<typeof ardEntrySchema>;

/** The fields of an entity in memory: enough to list, filter and count without reading the entity. */
export interface ArdSummary {
  readonly id: EntityId;
  /** The identifier without its domain. */
  readonly key: string;
  readonly displayName: string;
  readonly type: string;
  readonly tags: readonly string[];
  readonly capabilities: readonly string[];
  readonly version: string | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly metadata: { readonly entity_type: DiscoverableType; readonly path: string; readonly status: string };
  /** The address of the artifact at its owner. Undefined if this registry publishes it. */
  readonly ownUrl: string | undefined;
}

export interface DiscoverableRecord<E extends Discoverable = Discoverable> {
  readonly entity: E;
  readonly created_at: string;
  readonly updated_at: string;
}

export function toArdSummary({ entity, created_at, updated_at }: DiscoverableRecord): ArdSummary {
  return {
    id: idOf(entity),
    key: airKey(entity.type, entity.path),
    displayName: entity.name,
    type: ARD_TYPES[entity.type].mediaType,
    tags: entity.tags,
    capabilities: distinct(ardPartsOf(entity).map(({ name }) => name)).slice(0, MAX_CAPABILITIES),
    version: entity.version,
    createdAt: created_at,
    updatedAt: updated_at,
    metadata: { entity_type: entity.type, path: entity.path, status: entity.status },
    ownUrl: entity.type === 'skill' ? webUrl(entity.skill_md_raw_url ?? entity.skill_md_url) : undefined,
  };
}

/** This registry's domain for identifiers, and the address of its ARD routes. */
export interface ArdPlace {
  readonly domain: string;
  readonly ardUrl: string;
}

/** The short form, for lists and searches. */
export function toListedEntry(summary: ArdSummary, { domain, ardUrl }: ArdPlace): ArdEntry {
  const { key, displayName, type, tags, capabilities, version, updatedAt, metadata, ownUrl } = summary;
  const identifier = airIdentifier(domain, key);
  return {
    identifier,
    displayName,
    type,
    url: ownUrl ?? `${ardUrl}/artifacts/${encodeURIComponent(identifier)}`,
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    ...(capabilities.length === 0 ? {} : { capabilities: [...capabilities] }),
    ...(version === undefined ? {} : { version }),
    updatedAt,
    metadata: { ...metadata },
  };
}

/** The complete form. Sample queries are those of the publisher. */
export function toArdEntry(record: DiscoverableRecord, place: ArdPlace): ArdEntry {
  const { entity } = record;
  const queries = queriesOf(entity);
  return {
    '@context': ARD_CONTEXT,
    ...toListedEntry(toArdSummary(record), place),
    ...(entity.description === '' ? {} : { description: entity.description }),
    ...(queries.length < MIN_QUERIES ? {} : { representativeQueries: [...queries] }),
  };
}

function queriesOf(entity: Discoverable): readonly string[] {
  const said = entity.metadata.representative_queries;
  const given = Array.isArray(said) ? said.filter((query): query is string => typeof query === 'string') : [];
  const examples = ardPartsOf(entity).flatMap((part) => part.examples ?? []);
  return distinct([...given, ...examples].map((example) => example.trim()).filter((example) => example !== '')).slice(
    0,
    MAX_QUERIES,
  );
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];
