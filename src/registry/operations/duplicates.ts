import type { Store } from '../../engines/store.ts';
import type { EntityId } from '../../model/entity.ts';
import { parseWith } from '../../model/parse.ts';
import type { SearchRequestInput } from '../../model/query.ts';
import type { SearchResponse } from '../../model/result.ts';
import type { AdvisoryMatch, Collision, DuplicateReport } from '../answers.ts';
import { type DuplicateCandidate, duplicateCandidateSchema } from './entity-operations.ts';
import { addressOf, type EntityRows, folded } from './entity-view.ts';

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
  const near = await nearest(parts, candidate, new Set(collisions.map(({ path }) => path)));
  return {
    has_collision: collisions.length > 0,
    collision_with: collisions,
    advisory_matches: near ?? [],
    threshold,
    similarity_search_available: near !== null,
  };
}

const bare = (path: string) => path.replace(/^\//, '');
const isSelf = (path: string, { self_path }: DuplicateCandidate) =>
  typeof self_path === 'string' && bare(self_path) === bare(path);

type Reason = Collision['reasons'][number];

async function collisionsOf(
  { store, view }: DuplicateParts,
  candidate: DuplicateCandidate,
): Promise<readonly Collision[]> {
  const name = folded(candidate.name.trim());
  const url = addressOf(candidate.url ?? undefined);
  const reasons = new Map<EntityId, readonly Reason[]>();
  for (const row of await view.rows(candidate.type)) {
    if (isSelf(row.path, candidate)) continue;
    const same: Reason[] = [];
    if (typeof candidate.path === 'string' && bare(candidate.path) === bare(row.path)) same.push('path');
    if (url !== null && row.addresses.includes(url)) same.push('url');
    if (name !== '' && name === row.name) same.push('name');
    if (same.length > 0) reasons.set(row.id, same);
  }
  const found = await store.getMany([...reasons.keys()].sort());
  return found.map(({ id, entity: { path, name, description } }) => {
    return { path, name, description, reasons: reasons.get(id)! };
  });
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
  { search, settings }: DuplicateParts,
  candidate: DuplicateCandidate,
  colliding: ReadonlySet<string>,
): Promise<readonly AdvisoryMatch[] | null> {
  const query = comparedText(candidate);
  if (!/[\p{L}\p{N}]/u.test(query)) return [];
  const { results, search_mode } = await search({
    query,
    entity_types: [candidate.type],
    max_results: Math.min(MAX_FETCH, Math.max(OVER_FETCH, settings.maxSuggestions * OVER_FETCH)),
    weights: { keyword: 0, vector: 1 },
    include_draft: true,
    include_deprecated: true,
    include_disabled: true,
  });
  if (search_mode !== 'hybrid') return null;
  return results
    .flatMap(({ path, name, description, similarity_score }) =>
      similarity_score === null || similarity_score < settings.threshold
        ? []
        : [{ path, name, description, similarity_score }],
    )
    .filter(({ path }) => !isSelf(path, candidate) && !colliding.has(path))
    .sort((a, b) => b.similarity_score - a.similarity_score || (a.path < b.path ? -1 : 1))
    .slice(0, settings.maxSuggestions);
}
