import { z } from 'zod';
import type { EntityId } from '../../model/entity.ts';
import { idOf } from '../../model/entity.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { webUrl } from '../text/fitting-text.ts';
import { airIdentifier, airKey } from './air-identifier.ts';
import { ARD_TYPES, ardPartsOf, type Discoverable, type DiscoverableType } from './ard-types.ts';

/** The base context of ARD 0.91, for readers that do not apply it by default. */
export const ARD_CONTEXT = 'https://agenticresourcediscovery.org/context/v1';
export const AI_REGISTRY_TYPE = 'application/ai-registry+json';

/** ARD requires two to five. */
const MIN_QUERIES = 2;
const MAX_QUERIES = 5;
const MAX_CAPABILITIES = 100;

export const ardEntrySchema = z.object({
  '@context': z.unknown().optional(),
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
  trustManifest: z.record(z.string(), z.unknown()).optional().describe('As its publisher wrote it.'),
});
export type ArdEntry = z.output<typeof ardEntrySchema>;

/** The fields of an entity in memory: enough to list, filter and count without reading the entity. */
export interface ArdSummary {
  readonly id: EntityId;
  /** The identifier without its domain, for an entry of this registry. Unique. */
  readonly key: string;
  /** The identifier that its publisher gave it. */
  readonly identifier: string | undefined;
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
  const published = publishedOf(entity);
  const parts = ardPartsOf(entity).map(({ name }) => name);
  return {
    id: idOf(entity),
    key: airKey(entity.type, entity.path),
    identifier: textOf(published.identifier),
    displayName: textOf(published.displayName) ?? entity.name,
    type: ARD_TYPES[entity.type].mediaType,
    tags: entity.tags,
    capabilities: distinct(textsOf(published.capabilities) ?? parts).slice(0, MAX_CAPABILITIES),
    version: entity.version,
    createdAt: created_at,
    updatedAt: updated_at,
    metadata: { entity_type: entity.type, path: entity.path, status: entity.status },
    ownUrl: webUrl(textOf(published.url) ?? ownDocument(entity)),
  };
}

const publishedOf = (entity: Discoverable): JsonObject =>
  entity.type === 'virtual_server' ? {} : (entity.ard_entry ?? {});
const ownDocument = (entity: Discoverable) =>
  entity.type === 'skill' ? (entity.skill_md_raw_url ?? entity.skill_md_url) : undefined;
const textOf = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : undefined);
const textsOf = (value: unknown) =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : undefined;

/** The identifier of an entry in a registry with this domain. */
export function identifierOf({ identifier, key }: ArdSummary, domain: string): string {
  return identifier ?? airIdentifier(domain, key);
}

/** Who publishes an entry: the domain in its identifier. */
export function publisherOf({ identifier }: ArdSummary, domain: string): string {
  return identifier?.split(/[:/]/)[2] ?? domain;
}

/** This registry's domain for identifiers, and the address of its ARD routes. */
export interface ArdPlace {
  readonly domain: string;
  readonly ardUrl: string;
}

/** The short form, for lists and searches. */
export function toListedEntry(summary: ArdSummary, { domain, ardUrl }: ArdPlace): ArdEntry {
  const { displayName, type, tags, capabilities, version, updatedAt, metadata, ownUrl } = summary;
  const identifier = identifierOf(summary, domain);
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

/** Terms that this registry says itself. Any other term of a publisher's entry is passed on. */
const OWN_TERMS: ReadonlySet<string> = new Set([...Object.keys(ardEntrySchema.shape), 'mediaType', 'data']);

/** The complete form. Sample queries are those of the publisher. */
export function toArdEntry(record: DiscoverableRecord, place: ArdPlace, summary = toArdSummary(record)): ArdEntry {
  const { entity } = record;
  const published = publishedOf(entity);
  const queries = queriesOf(entity);
  const description = textOf(published.description) ?? entity.description;
  const { trustManifest } = published;
  return {
    ...Object.fromEntries(Object.entries(published).filter(([term]) => !OWN_TERMS.has(term))),
    '@context': published['@context'] ?? ARD_CONTEXT,
    ...toListedEntry(summary, place),
    ...(description === '' ? {} : { description }),
    ...(queries.length < MIN_QUERIES ? {} : { representativeQueries: [...queries] }),
    ...(isJsonObject(trustManifest) ? { trustManifest: { ...trustManifest } } : {}),
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
