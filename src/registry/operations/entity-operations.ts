import type { EntityOf, EntityType, Status, Visibility } from '../../model/entity.ts';
import type { EntityRecord, PutResult } from '../registry.ts';

/** What a registry does with one kind of entity, besides search: publish, change, list, rate, compare. */
export interface EntityOperations {
  /**
   * Adds an entity, or replaces the one at its path. What was switched off stays off, unless the entity says
   * otherwise, and its owner stays. What only groups may see must name one. Throws ALREADY_EXISTS where `overwrite` is false; of several at once, one succeeds.
   */
  register(entity: unknown, options?: RegisterOptions): Promise<PutResult>;
  /** Replaces an entity that is there; throws NOT_FOUND where none is. */
  replace(type: EntityType, path: string, entity: Fields): Promise<PutResult>;
  /** Stores what `make` gives for the entity that is there, with nothing written in between. Throws NOT_FOUND. */
  change<T extends EntityType>(type: T, path: string, make: (entity: EntityOf<T>) => Fields): Promise<PutResult>;
  /** Changes some fields of an entity; null sets a field back to its default. Throws NOT_FOUND. Unchanged text is not embedded again. */
  patch(type: EntityType, path: string, fields: Fields): Promise<PutResult>;

  /** Entities of one type by plain substring, in order of name. Every filter that is present must hold. */
  list(query: ListQuery): Promise<ListPage>;
  /** Every tag in use, once whatever its case, in the spelling of the entity that comes first by id; sorted. */
  tags(): Promise<readonly TagCount[]>;
  /** Skills by the registry's scored substring match, best first. */
  searchSkills(query: SkillQuery): Promise<readonly Scored[]>;
  /** Agents that have some of the skills asked for, best first. */
  discoverAgents(query: AgentQuery): Promise<readonly Scored[]>;

  /** One rating for each user; a new one replaces the user's last. Throws NOT_FOUND. */
  rate(type: EntityType, path: string, vote: Vote): Promise<Rating>;
  rating(type: EntityType, path: string): Promise<Rating>;

  /** What is registered already and looks like this. */
  findDuplicates(candidate: DuplicateCandidate): Promise<DuplicateReport>;
}

export type Fields = Readonly<Record<string, unknown>>;

export interface RegisterOptions {
  /** Default true. */
  readonly overwrite?: boolean;
}

export interface ListQuery {
  readonly type: EntityType;
  /** Must occur as it stands, case aside, in name, description, tags, an agent's skill names or metadata. */
  readonly query?: string;
  /** All of, compared without case. */
  readonly tags?: readonly string[];
  /** Any of. */
  readonly statuses?: readonly Status[];
  readonly enabled?: boolean;
  readonly visibility?: Visibility;
  /** Any of the entity's allowed groups. */
  readonly groups?: readonly string[];
  /** Any of the caller's reader keys; absent means that access is not checked. */
  readonly readers?: readonly string[];
  /** Default 20. */
  readonly limit?: number;
  /** Default 0. */
  readonly offset?: number;
}

/** An entity with the mean of its ratings, 0 while it has none. */
export interface RatedRecord extends EntityRecord {
  readonly num_stars: number;
}

export interface ListPage {
  readonly records: readonly RatedRecord[];
  /** How many there are on all pages together. */
  readonly total_count: number;
  readonly limit: number;
  readonly offset: number;
  readonly has_next: boolean;
}

export interface TagCount {
  readonly tag: string;
  /** How many entities have it. */
  readonly count: number;
}

export interface Scored extends EntityRecord {
  /** 0 to 1. */
  readonly relevance_score: number;
}

export interface SkillQuery {
  readonly query: string;
  readonly tags?: readonly string[];
  readonly include_draft?: boolean;
  readonly include_deprecated?: boolean;
}

export interface AgentQuery {
  /** Names or ids of agent skills, compared without case. */
  readonly skills: readonly string[];
  readonly tags?: readonly string[];
  /** Default 10. */
  readonly limit?: number;
}

export interface Vote {
  /** 1 to 5. */
  readonly rating: number;
  /** Default `anonymous`. */
  readonly user?: string;
}

export interface Rating {
  /** The mean, 0 while there is no rating. */
  readonly num_stars: number;
  /** Oldest first, the last hundred. */
  readonly rating_details: readonly { readonly user: string; readonly rating: number }[];
}

export interface DuplicateCandidate {
  readonly type: EntityType;
  readonly name: string;
  readonly description?: string;
  readonly url?: string;
  readonly path?: string;
  /** The entity that asks, when it is registered already: it is no duplicate of itself. */
  readonly self_path?: string;
}

export interface DuplicateReport {
  readonly has_collision: boolean;
  /** Same path, address or name, in order of path. */
  readonly collision_with: readonly Collision[];
  /** Near in meaning, nearest first. */
  readonly advisory_matches: readonly AdvisoryMatch[];
  /** The cosine from which on something counts as near. */
  readonly threshold: number;
  /** False while meaning cannot be compared: no model, or none that answers. */
  readonly similarity_search_available: boolean;
}

export interface Collision {
  readonly path: string;
  readonly name: string;
  readonly description: string;
  /** What is the same. */
  readonly reasons: readonly ('path' | 'url' | 'name')[];
}

export interface AdvisoryMatch {
  readonly path: string;
  readonly name: string;
  readonly description: string;
  /** Raw cosine, comparable between questions. */
  readonly similarity_score: number;
}
