import type { Store, StoredEntity } from '../../engines/store.ts';
import type { SearchResponse } from '../../model/answer/result.ts';
import { type EntityId, type EntityType, entityId } from '../../model/entity.ts';
import { typesOfRole } from '../../model/entity-types/table.ts';
import { parseWith } from '../../model/parse/parse.ts';
import type { SearchRequestInput } from '../../model/query/query.ts';
import { barePath } from '../../model/text/bare-path.ts';
import type { AdvisoryMatch, Collision, DuplicateReport } from '../contract/answers.ts';
import { type DuplicateCandidate, duplicateCandidateSchema } from '../contract/entity-operations.ts';
import { type EntityRows, folded } from '../view/entity-view.ts';
import { addressOf } from '../view/identities.ts';

export interface DuplicateSettings {
  /** The minimum cosine of a suggestion, 0 to 1. */
  readonly threshold: number;
  readonly maxSuggestions: number;
}

export interface DuplicateParts {
  readonly store: Store;
  readonly view: EntityRows;
  readonly search: (request: SearchRequestInput) => Promise<SearchResponse>;
  readonly settings: DuplicateSettings;
}

/** Words that most names contain. Two of them alone give a cosine of .76. */
const BOILERPLATE = /\b(?:mcp|servers?|tools?|skills?|agents?|apis?|services?)\b/giu;

/** The limit of the MCP gateway registry. A query may have 512. */
const COMPARED_CHARS = 500;

/** More than the suggestions, because the nearest may be the entity itself. A search returns at most 50. */
const OVER_FETCH = 10;
const MAX_FETCH = 50;

export async function findDuplicates(parts: DuplicateParts, asked: DuplicateCandidate): Promise<DuplicateReport> {
  const candidate = parseWith(duplicateCandidateSchema, asked, 'candidate');
  const { threshold } = parts.settings;
  const collisions = await collisionsOf(parts, candidate);
  const near = await nearest(parts, candidate, new Set(collisions.map(keyOf)));
  return {
    has_collision: collisions.length > 0,
    collision_with: collisions,
    advisory_matches: near ?? [],
    threshold,
    similarity_search_available: near !== null,
  };
}

const keyOf = ({ entity_type, path }: Pick<Collision, 'entity_type' | 'path'>) => entityId(entity_type, path);

const isSelf = (of: Pick<Collision, 'entity_type' | 'path'>, { type, self_path }: DuplicateCandidate) =>
  typeof self_path === 'string' && of.entity_type === type && barePath(self_path) === barePath(of.path);

/** Something else may have the same address, or do the same: an agent for a server. */
const comparedTypes = (type: EntityType): readonly EntityType[] => [...new Set([type, ...typesOfRole('capability')])];

type Reason = Collision['reasons'][number];

async function collisionsOf(
  { store, view }: DuplicateParts,
  candidate: DuplicateCandidate,
): Promise<readonly Collision[]> {
  const name = folded(candidate.name.trim());
  const url = addressOf(candidate.url ?? undefined);
  const reasons = new Map<EntityId, readonly Reason[]>();
  for (const type of comparedTypes(candidate.type)) {
    const sameType = type === candidate.type;
    for (const row of await view.rows(type)) {
      if (isSelf({ entity_type: type, path: row.path }, candidate)) continue;
      const same: Reason[] = [];
      const hasPath = typeof candidate.path === 'string' && barePath(candidate.path) === barePath(row.path);
      if (sameType && hasPath) same.push('path');
      if (url !== null && row.addresses.includes(url)) same.push('url');
      if (sameType && name !== '' && name === row.name) same.push('name');
      if (same.length > 0) reasons.set(row.id, same);
    }
  }
  const found = await store.getMany([...reasons.keys()].sort());
  return found.map((stored) => ({ ...shownOf(stored), reasons: reasons.get(stored.id)! }));
}

function shownOf({ entity, createdAt }: StoredEntity): Omit<Collision, 'reasons'> {
  const { type, path, name, description, owner } = entity;
  return { entity_type: type, path, name, description, owner: owner ?? null, created_at: createdAt };
}

/** The text to compare, without common words and without `#`, which a search reads as a tag. */
export function comparedText({ name, description }: Pick<DuplicateCandidate, 'name' | 'description'>): string {
  return `${name} ${description ?? ''}`
    .replaceAll(BOILERPLATE, ' ')
    .replaceAll(/[#\s]+/g, ' ')
    .trim()
    .slice(0, COMPARED_CHARS);
}

/**
 * The most similar entities by raw cosine: a relative score would call the best of any list perfect. Null without a model.
 */
async function nearest(
  { store, search, settings }: DuplicateParts,
  candidate: DuplicateCandidate,
  colliding: ReadonlySet<EntityId>,
): Promise<readonly AdvisoryMatch[] | null> {
  const query = comparedText(candidate);
  if (!/[\p{L}\p{N}]/u.test(query)) return [];
  const { results, search_mode } = await search({
    query,
    entity_types: comparedTypes(candidate.type).filter((type) => type !== 'tool' || type === candidate.type),
    max_results: Math.min(MAX_FETCH, Math.max(OVER_FETCH, settings.maxSuggestions * OVER_FETCH)),
    weights: { keyword: 0, vector: 1 },
    include_draft: true,
    include_deprecated: true,
    include_disabled: true,
  });
  if (search_mode !== 'hybrid') return null;
  const near = results
    .flatMap(({ entity_type, path, similarity_score }) =>
      similarity_score === null || similarity_score < settings.threshold
        ? []
        : [{ entity_type, path, similarity_score }],
    )
    .filter((hit) => !isSelf(hit, candidate) && !colliding.has(keyOf(hit)))
    .sort((a, b) => b.similarity_score - a.similarity_score || (keyOf(a) < keyOf(b) ? -1 : 1))
    .slice(0, settings.maxSuggestions);
  const stored = new Map((await store.getMany(near.map(keyOf))).map((one) => [one.id, one]));
  return near.flatMap((hit) => {
    const found = stored.get(keyOf(hit));
    return found === undefined ? [] : [{ ...shownOf(found), similarity_score: hit.similarity_score }];
  });
}
