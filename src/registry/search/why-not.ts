import type { Store } from '../../engines/store.ts';
import type { WhyNot } from '../../model/answer/result.ts';
import { type Entity, type EntityId, idOf } from '../../model/entity.ts';
import { isEntityId, splitEntityId } from '../../model/entity-parts/entity-id.ts';
import { toolKey, unitId } from '../../model/entity-parts/unit.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { entityFacts, type Filter, failedClause, foldTag } from '../../model/query/filter.ts';
import type { SearchRequest } from '../../model/query/query.ts';
import type { SearchPlan } from '../../search/plan/plan.ts';
import type { Candidate } from '../../search/ranking/candidates/candidate.ts';
import type { RankedPage } from '../../search/ranking/rank.ts';
import type { FoundUnit, Retrieved } from '../../search/retrieval/retrieval.ts';
import { serverToolAt } from '../view/server-tool.ts';
import { storedAt } from '../view/stored-at.ts';

/** What one search did, what its caller may read, and a way to ask the same of one entity alone. */
export interface WhyNotParts {
  readonly store: Store;
  readonly plan: SearchPlan;
  readonly retrieved: Retrieved;
  readonly ranked: RankedPage;
  readonly askOnly: (ids: readonly EntityId[]) => Promise<Retrieved>;
}

/** What is asked about: an entity, or a tool of a server. */
interface Subject {
  readonly id: string;
  readonly entity: Entity;
  readonly tool: string | undefined;
}

/** Says which stage of a search lost an entity. Throws INVALID_REQUEST for anything but an id. */
export async function whyNot(parts: WhyNotParts, id: string): Promise<WhyNot> {
  if (!isEntityId(id)) {
    throw new DowserError('INVALID_REQUEST', `'why_not' is ${showValue(id)}: must be an id.`, {
      field: 'why_not',
      hint: 'An id is a type and a path, such as mcp_server:/github.',
    });
  }
  const subject = await find(parts.store, id as EntityId);
  if (subject === undefined) {
    return lost(id, 'unknown', 'It is not registered.', 'Check the spelling of the path: it is case-sensitive.');
  }
  const { plan, ranked } = parts;
  const key = keyOf(subject);
  const isIt = (candidate: Candidate) => candidate.key === key;
  const at = ranked.page.findIndex(isIt);
  if (at >= 0) {
    const place = (plan.request.offset ?? 0) + at + 1;
    return { id, stage: 'shown', reason: `It is result number ${place}.`, rank: rankOf(ranked, isIt), hint: null };
  }
  return lostByFilter(subject, plan) ?? lostByRanking(parts, subject, isIt) ?? lostByRetrieval(parts, subject);
}

async function find(store: Store, id: EntityId): Promise<Subject | undefined> {
  const { type, path } = splitEntityId(id);
  const stored = await storedAt(store, type, path);
  if (stored !== undefined) return { id, entity: stored.entity, tool: undefined };
  const found = type === 'tool' ? await serverToolAt(store, path) : undefined;
  return found === undefined ? undefined : { id, entity: found.server.entity, tool: found.tool.name };
}

const keyOf = ({ entity, tool }: Subject): string =>
  tool === undefined ? idOf(entity) : unitId(idOf(entity), toolKey(tool));

const rankOf = ({ matched }: RankedPage, isIt: (candidate: Candidate) => boolean): number | null => {
  const at = matched.findIndex(isIt);
  return at < 0 ? null : at + 1;
};

function lost(
  id: string,
  stage: WhyNot['stage'],
  reason: string,
  hint: string | null,
  rank: number | null = null,
): WhyNot {
  return { id, stage, reason, rank, hint };
}

function lostByFilter(
  { id, entity, tool }: Subject,
  { filter, request, toolsAsResults }: SearchPlan,
): WhyNot | undefined {
  if (tool !== undefined && !toolsAsResults) {
    const reason = `It is a tool of ${entity.path}: this search ranks servers, and shows tools with their server.`;
    return lost(id, 'filter', reason, "Set entity_types to ['tool'].");
  }
  const facts = entityFacts(entity);
  const unit = unitId(facts.id, tool === undefined ? 'card' : toolKey(tool));
  const clause = failedClause(filter, { ...facts, unit, kind: tool === undefined ? 'card' : 'tool' });
  if (clause === undefined) return undefined;
  const [reason, hint] = filterWords(clause, filter, request, entity);
  return lost(id, 'filter', reason, hint);
}

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ');

function filterWords(
  clause: keyof Filter,
  filter: Filter,
  request: Pick<SearchRequest, 'drifted' | 'paths'>,
  entity: Entity,
): readonly [reason: string, hint: string | null] {
  switch (clause) {
    case 'types':
      return [
        `Its type is ${entity.type}; the search is for ${(filter.types ?? []).join(', ')}.`,
        'Remove the type filter.',
      ];
    case 'statuses':
      return [`Its status is ${entity.status}, which the search leaves out.`, statusHint(entity.status)];
    case 'enabled':
      return ['It is disabled.', 'Set include_disabled, or enable it.'];
    case 'tags': {
      const own = new Set(entity.tags.map(foldTag));
      const missing = (filter.tags ?? []).filter((tag) => !own.has(foldTag(tag)));
      return [
        `It does not have the ${missing.length === 1 ? 'tag' : 'tags'} ${quoted(missing)}.`,
        'Remove the tag filter.',
      ];
    }
    case 'without':
      return ['It changed since it was accepted, and changed entities are withheld.', 'Accept its changes.'];
    case 'withoutUnits':
      return ['The operator denies this tool.', 'The operator can allow it with `dowser call allow`.'];
    case 'entities':
      return request.drifted && request.paths === undefined
        ? ['The search is for changed entities only, and it has not changed.', 'Remove the filter drifted.']
        : ['The search is for other paths.', 'Remove the filter paths.'];
    case 'facets':
      return [`It does not have all of these facets: ${quoted(filter.facets ?? [])}.`, 'Remove a facet.'];
    default:
      return ['The memory filter of the search leaves it out.', 'Remove a filter.'];
  }
}

const statusHint = (status: Entity['status']): string =>
  status === 'draft' || status === 'deprecated' ? `Set include_${status}.` : 'Remove the status filter.';

const shown = (value: number): string => value.toFixed(3);

function lostByRanking(
  { plan, ranked }: WhyNotParts,
  { id }: Subject,
  isIt: (candidate: Candidate) => boolean,
): WhyNot | undefined {
  const found = ranked.found.find(isIt);
  if (found === undefined) return undefined;
  const rank = rankOf(ranked, isIt);
  if (rank === null) {
    const { min_confidence: minimum } = plan.request;
    const than = minimum === undefined ? 'too low to be a match' : `below the minimum of ${minimum}`;
    const reason = `It was found, but its confidence is ${shown(ranked.confidence(found))}, ${than}.`;
    const hint = minimum === undefined ? 'Set min_confidence to 0 to see every candidate.' : 'Lower min_confidence.';
    return lost(id, 'confidence', reason, hint);
  }
  const cut = ranked.cut.find(isIt);
  if (cut !== undefined) {
    const reason = `Its relevance score is ${shown(cut.score)}, below the floor of ${plan.preset.floor}.`;
    return lost(id, 'floor', reason, 'Set floor to 0.', rank);
  }
  const { offset = 0, max_results: size } = plan.request;
  if (rank <= offset) return lost(id, 'page', `It is number ${rank}, on an earlier page.`, 'Lower offset.', rank);
  if (rank > offset + size) {
    const reason = `It is number ${rank} of ${ranked.matched.length} matches, and this page ends at ${offset + size}.`;
    return lost(id, 'page', reason, 'Raise max_results or offset.', rank);
  }
  const reason = `It is number ${rank} by score, but one type may not fill the page: other types took its place.`;
  return lost(id, 'page', reason, 'Set soft_cap to 1.', rank);
}

/** Neither leg had it in its list. Asked alone, its own scores say by how much. */
async function lostByRetrieval({ plan, retrieved, askOnly }: WhyNotParts, subject: Subject): Promise<WhyNot> {
  const own = await askOnly([idOf(subject.entity)]);
  const units = own.units.filter(({ entity }) => entity === idOf(subject.entity));
  const { preset } = plan;
  const reasons = [keywordWords(units, retrieved)];
  if (preset.vector !== null) reasons.push(vectorWords(units, retrieved));
  const hint = 'Use words of its name or description, or filter by its type or tags.';
  return lost(subject.id, 'retrieval', reasons.join(' '), hint);
}

function best(units: readonly FoundUnit[], score: (unit: FoundUnit) => number | null): number | null {
  let highest: number | null = null;
  for (const unit of units) {
    const value = score(unit);
    if (value !== null && (highest === null || value > highest)) highest = value;
  }
  return highest;
}

function keywordWords(units: readonly FoundUnit[], { keyword }: Retrieved): string {
  const own = best(units, (unit) => unit.keyword);
  if (own === null) return 'It has no word of the query.';
  const last = keyword.at(-1)?.keyword ?? 0;
  return `Its keyword score is ${shown(own)}; the last of ${keyword.length} that were fetched has ${shown(last)}.`;
}

function vectorWords(units: readonly FoundUnit[], { vector }: Retrieved): string {
  if (vector === null) return 'The search had no vectors.';
  const own = best(units, (unit) => unit.vector);
  if (own === null) return 'It has no vector yet.';
  const last = vector.at(-1)?.vector ?? 0;
  return `Its cosine similarity is ${shown(own)}; the last of ${vector.length} that were fetched has ${shown(last)}.`;
}
