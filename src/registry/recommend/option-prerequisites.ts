import type { Prerequisites, SearchResponse } from '../../model/answer/result.ts';
import { entityId } from '../../model/entity.ts';
import type { FoundNodes } from '../../recommend/complete-set.ts';
import { DEFAULT_STATUSES } from '../../search/plan/plan.ts';
import { MAX_TOOLS } from '../../search/ranking/candidates/graph-links.ts';
import type { Option } from '../contract/recommend-schemas.ts';
import { type PrerequisiteParts, prerequisitesOf } from '../graph/prerequisites.ts';

/**
 * What the recommended options need first, and what is used with them. What an option needs may be an alternative too, such as
 * the store of a queue that is itself a queue. An alternative that is only used with it stays an alternative, and so does
 * what only has something in common with it: a tag that two queues share does not say that they are used together.
 */
export async function optionPrerequisites(
  parts: PrerequisiteParts,
  answer: Pick<SearchResponse, 'results' | 'tools'>,
  recommended: readonly Option[],
  alternatives: readonly Option[],
): Promise<{ readonly group: Prerequisites; readonly warning: string | null }> {
  const best = Math.max(Number.MIN_VALUE, recommended[0]?.fit_score ?? 0);
  const found = recommended.map((option) => foundNodes(option, answer, option.fit_score / best));
  const { group, warning } = await prerequisitesOf(parts, found, DEFAULT_STATUSES);
  const others = new Set(alternatives.map(({ entity_type, path }) => entityId(entity_type, path)));
  const used = group.used_with.filter(
    ({ entity_type, path, relation }) => relation !== 'RELATED_TO' && !others.has(entityId(entity_type, path)),
  );
  return { group: { ...group, used_with: used }, warning };
}

/** The nodes of an option: itself and, of a server, its matching tools. */
function foundNodes(
  { entity_type, path }: Option,
  { results, tools }: Pick<SearchResponse, 'results' | 'tools'>,
  relevance: number,
): FoundNodes {
  const result = results.find((one) => one.entity_type === entity_type && one.path === path);
  const shown = [entityId(entity_type, path)];
  if (entity_type === 'tool') return { nodes: shown, shown, relevance };
  if (result?.matched_unit.kind === 'tool') shown.push(entityId('tool', `${path}#${result.matched_unit.title}`));
  const own = tools.filter(({ server_path }) => server_path === path).slice(0, MAX_TOOLS);
  const nodes = new Set([...shown, ...own.map((tool) => entityId('tool', tool.path))]);
  return { nodes: [...nodes], shown, relevance };
}
