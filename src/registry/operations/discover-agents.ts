import type { Store } from '../../engines/store.ts';
import type { A2aAgent } from '../../model/entity.ts';
import { DowserError } from '../../model/errors.ts';
import { foldTag } from '../../model/filter.ts';
import { parseWith } from '../../model/parse.ts';
import type { Scored } from '../answers.ts';
import { type AgentQuery, agentQuerySchema } from './entity-operations.ts';
import { type EntityRows, folded } from './entity-view.ts';
import { scoreRecords } from './scan-records.ts';

/** The weights of the MCP gateway registry. */
const WEIGHTS = { skills: 0.6, tags: 0.2, trust: 0.2 } as const;
const TRUST: ReadonlyMap<string, number> = new Map([
  ['unverified', 0],
  ['community', 0.2],
  ['verified', 0.5],
  ['trusted', 1],
]);

function shareOf(wanted: readonly string[], has: ReadonlySet<string>): number {
  const unique = [...new Set(wanted)];
  return unique.length === 0 ? 0 : unique.filter((item) => has.has(item)).length / unique.length;
}

function scoreOf(agent: A2aAgent, skills: readonly string[], tags: readonly string[]): number {
  const known = new Set(agent.skills.flatMap(({ id, name }) => [folded(id), folded(name)]));
  const matched = shareOf(skills, known);
  if (matched === 0) return 0;
  const tagged = shareOf(tags, new Set(agent.tags.map(foldTag)));
  const trust = TRUST.get(folded(agent.trust_level ?? '')) ?? 0;
  return WEIGHTS.skills * matched + WEIGHTS.tags * tagged + WEIGHTS.trust * trust;
}

/** Enabled agents with at least one of the skills, without drafts and deprecated ones. */
export async function discoverAgents(store: Store, view: EntityRows, asked: AgentQuery): Promise<readonly Scored[]> {
  const { limit, ...query } = parseWith(agentQuerySchema, asked, 'discovery');
  const skills = query.skills.map((skill) => folded(skill.trim())).filter((skill) => skill !== '');
  if (skills.length === 0) {
    throw new DowserError('EMPTY_SEARCH', 'The discovery names no skills.', {
      field: 'skills',
      hint: 'Send skills: ["translate"], or ask in words at POST /api/agents/discover/semantic.',
    });
  }
  const tags = query.tags.map(foldTag);
  const rows = (await view.rows('a2a_agent')).filter(
    (row) =>
      row.is_enabled &&
      row.status !== 'draft' &&
      row.status !== 'deprecated' &&
      skills.some((skill) => row.skills.includes(skill)),
  );
  return (await scoreRecords(store, rows, (entity) => scoreOf(entity as A2aAgent, skills, tags))).slice(0, limit);
}
