import { z } from 'zod';
import { type EntityType, STATUSES, VISIBILITIES } from '../../model/entity.ts';
import { entityTypeSchema, textList, wholeNumber } from '../../model/query/query-fields.ts';
import type { DuplicateReport, ListPage, PutResult, Rating, Scored, TagCount } from './answers.ts';
import type { WriteCondition } from './entity-tag.ts';

export type { AdvisoryMatch, Collision, RatedRecord } from './answers.ts';
export type { DuplicateReport, ListPage, Rating, Scored, TagCount };

/** The operations on one type of entity, besides search: register, change, list, rate, compare. */
export interface EntityOperations {
  /**
   * Adds an entity, or replaces the one at its path. `is_enabled` and the owner are kept unless the entity sets them. A
   * group-restricted entity must name a group. Throws ALREADY_EXISTS if `overwrite` is false; of several calls at once, one
   * succeeds.
   */
  register(entity: unknown, options?: RegisterOptions): Promise<PutResult>;
  /**
   * Changes some fields of an entity; null sets a field back to its default. Throws NOT_FOUND, and PRECONDITION_FAILED if the
   * condition does not hold. Unchanged text is not embedded again.
   */
  patch(type: EntityType, path: string, fields: Fields, condition?: WriteCondition): Promise<PutResult>;

  /** Entities of one type that match every given filter, sorted by name. */
  list(query: ListQuery): Promise<ListPage>;
  /** Every tag in use, sorted. Ignores case and shows the spelling of the first entity by id. */
  tags(): Promise<readonly TagCount[]>;
  /** Skills by the registry's scored substring match, best first. */
  searchSkills(query: SkillQuery): Promise<readonly Scored[]>;
  /** Agents with at least one of these skills, best first. */
  discoverAgents(query: AgentQuery): Promise<readonly Scored[]>;

  /** One rating for each user; a new one replaces the user's last. Throws NOT_FOUND. */
  rate(type: EntityType, path: string, vote: Vote): Promise<Rating>;
  rating(type: EntityType, path: string): Promise<Rating>;

  /** Entities that are equal or similar to the candidate. */
  findDuplicates(candidate: DuplicateCandidate): Promise<DuplicateReport>;
}

/** The fields of an entity, as plain JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** How to register an entity. */
export interface RegisterOptions {
  /** Default true. */
  readonly overwrite?: boolean;
}

/** Limits of the registry's list endpoints. */
export const MAX_LIST_LIMIT = 2000;
export const MAX_DISCOVERED = 100;
export const MAX_STARS = 5;
const MAX_USER_CHARS = 256;

export const listQuerySchema = z.strictObject({
  type: entityTypeSchema.describe('Only this entity type.'),
  query: z
    .string()
    .optional()
    .describe('A substring of the name, description, tags, agent skill names or metadata. Ignores case.'),
  tags: textList.optional().describe('All of these tags. Ignores case.'),
  statuses: z.array(z.enum(STATUSES)).readonly().optional().describe('Any of these statuses.'),
  enabled: z.boolean().optional(),
  visibility: z.enum(VISIBILITIES).optional(),
  groups: textList.optional().describe('Any of these among the allowed groups.'),
  limit: wholeNumber(1, MAX_LIST_LIMIT).default(20),
  offset: wholeNumber(0, Number.MAX_SAFE_INTEGER).default(0),
});
/** Which entities to list, and in which order. */
export type ListQuery = Readonly<z.input<typeof listQuerySchema>>;

export const skillQuerySchema = z.strictObject({
  query: z.string(),
  tags: textList.default([]).describe('All of these tags. Ignores case.'),
  include_draft: z.boolean().default(false),
  include_deprecated: z.boolean().default(false),
});
/** Which skills to find. */
export type SkillQuery = Readonly<z.input<typeof skillQuerySchema>>;

export const agentQuerySchema = z.strictObject({
  skills: textList.describe('Names or ids of agent skills. Ignores case.'),
  tags: textList.default([]),
  limit: wholeNumber(1, MAX_DISCOVERED).default(10),
});
/** Which agents to find by their skills and tags. */
export type AgentQuery = Readonly<z.input<typeof agentQuerySchema>>;

export const voteSchema = z.object({
  rating: wholeNumber(1, MAX_STARS),
  user: z
    .string()
    .max(MAX_USER_CHARS, `must have at most ${MAX_USER_CHARS} characters`)
    .refine((name) => name.trim() !== '', 'must not be empty: leave it out to rate as anonymous')
    .optional()
    .describe('The user. Default: `anonymous`.'),
});
/** The rating that one person gives. */
export type Vote = Readonly<z.input<typeof voteSchema>>;

const text = z.string().nullish();
export const duplicateCandidateSchema = z.strictObject({
  type: entityTypeSchema,
  name: z.string(),
  description: text,
  url: text,
  path: text,
  self_path: text.describe('The path of the entity itself, to exclude it.'),
});
/** An entity to look for before it is registered. */
export type DuplicateCandidate = Readonly<z.input<typeof duplicateCandidateSchema>>;
