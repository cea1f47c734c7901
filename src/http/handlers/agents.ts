import type { Handlers } from '../../api/contract.ts';
import type { agentOperations } from '../../api/operations/agent-operations.ts';
import { ifFound } from '../../api/wire/if-found.ts';
import type { A2aAgent } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { stated } from '../../model/json/json-object.ts';
import { MAX_RESULTS } from '../../model/query/query.ts';
import type { Fields } from '../../registry/contract/entity-operations.ts';
import type { ScopedRegistry } from '../../registry/contract/registry.ts';
import { folded } from '../../registry/view/entity-view.ts';
import { readAgentFields } from '../../sources/formats/a2a-card.ts';
import { agentListItem, agentRecord } from '../../standards/gateway/agent-record.ts';
import { withoutPlaceholders } from '../../standards/gateway/asset-record.ts';
import { cardChanges } from '../../standards/gateway/pulled-card.ts';
import type { RemoteCard } from '../discovery/pull-card.ts';
import { type AgentJobs, agentBatches, noJobs } from './agent-batches.ts';
import { ratedEntities, recordsOf } from './rated-entities.ts';
import { registeredMessage, registeredPath, withSlash } from './wire-record.ts';

/** The card and the registry's fields of an agent as one card, to apply changes to. */
function toCard({ card = {}, type: _type, ...agent }: A2aAgent): Fields {
  const { provider = agent.provider, skills = agent.skills } = card;
  return { ...agent, ...card, ...stated({ description: agent.description, provider, skills }) };
}

/** Fields with two names in cards. A change by one name must override the other. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['trustLevel', 'trust_level'],
  ['allowedGroups', 'allowed_groups'],
  ['isEnabled', 'is_enabled'],
  ['enabled', 'is_enabled'],
  ['registeredBy', 'owner'],
  ['registered_by', 'owner'],
]);

function patched(agent: A2aAgent, patch: Fields): Fields {
  const card = toCard(agent);
  const changes = Object.entries(patch).map(([key, value]) => [SPELLINGS.get(key) ?? key, value] as const);
  const { url } = patch;
  if (url === undefined || patch.supportedInterfaces !== undefined || !Array.isArray(card.supportedInterfaces)) {
    return { ...card, ...Object.fromEntries(changes) };
  }
  const [preferred, ...others] = card.supportedInterfaces as readonly Fields[];
  const moved = { protocolBinding: 'JSONRPC', ...preferred, url };
  const supportedInterfaces = url === null ? others : [moved, ...others];
  return { ...card, ...Object.fromEntries(changes), supportedInterfaces };
}

function checkAddress({ url }: Fields): void {
  if (typeof url === 'string' && url.trim() !== '') return;
  throw new DowserError('INVALID_REQUEST', "The agent card has no address: neither 'url' nor 'supportedInterfaces'.", {
    field: 'url',
    hint: "Add the address of the agent as 'url'.",
  });
}

const AGENTS = recordsOf(agentRecord);
const LISTED_AGENTS = recordsOf(agentListItem);

type AgentHandlers = Pick<Handlers, keyof typeof agentOperations>;

type AgentSkill = Pick<A2aAgent['skills'][number], 'id' | 'name' | 'description'>;
/** Shorter words are in most texts. */
const WORD = /[\p{L}\p{N}_]{3,}/gu;
type ReadCard = (address: string) => Promise<RemoteCard>;

/** `readCard` reads the published card of an agent. `jobs` has the batches of the caller. */
export function agentHandlers(
  registry: ScopedRegistry,
  readCard: ReadCard = noCards,
  jobs: AgentJobs = noJobs(),
): AgentHandlers {
  const entities = ratedEntities(registry, 'a2a_agent', AGENTS);
  const { read, get, recordAt, changed, list, toggle, remove, rate, health, rating, duplicates } = entities;

  /** Adds ratings and the matching skills to a list of results. Skips entities that were deleted meanwhile. */
  async function scored(
    found: readonly { readonly path: string; readonly relevance_score: number }[],
    isMatch: (skill: AgentSkill) => boolean,
  ) {
    const records = await Promise.all(
      found.map(async ({ path, relevance_score }) => {
        const record = await ifFound(recordAt(path));
        if (record === undefined) return [];
        const matching_skills = record.skills.filter(isMatch).map(({ name }) => name);
        return [{ ...record, relevance_score, matching_skills }];
      }),
    );
    return records.flat();
  }

  /** A search returns at most `MAX_RESULTS`, so a longer list is built from pages. */
  async function searched(query: string, limit: number) {
    const ask = (page: { readonly max_results: number; readonly offset?: number }) =>
      registry.search({ query, entity_types: ['a2a_agent'], ...page });
    if (limit <= MAX_RESULTS) return ask({ max_results: limit });
    const first = await ask({ max_results: MAX_RESULTS, offset: 0 });
    const results = [...first.results];
    let last = first;
    while (results.length < limit && last.results.length === MAX_RESULTS) {
      last = await ask({ max_results: MAX_RESULTS, offset: results.length });
      results.push(...last.results);
    }
    return { ...first, results: results.slice(0, limit) };
  }

  const routes: Omit<AgentHandlers, 'submitAgentBatch' | 'getAgentBatch'> = {
    async registerAgent({ query, body }) {
      const path = typeof body.path === 'string' ? registeredPath(body.path) : undefined;
      const { fields, warnings } = readAgentFields(withoutPlaceholders(body), path === undefined ? {} : { path });
      checkAddress(fields);
      const result = await registry.register(fields, query);
      const agent = await recordAt(result.path);
      const message = registeredMessage(agent.name, result);
      const all = [...warnings, ...result.warnings];
      return { status: 201, body: { path: result.path, name: agent.name, message, agent, warnings: all } };
    },
    checkAgentDuplicates: ({ body }) => duplicates(body),
    async discoverAgents({ query, body }) {
      const tags = body.tags ?? [];
      const found = await registry.discoverAgents({ skills: body.skills, tags, limit: query.max_results });
      const wanted = new Set(body.skills.map((skill) => folded(skill.trim())));
      const agents = await scored(
        found.map(({ entity, ...agent }) => ({ ...agent, path: entity.path })),
        ({ id, name }) => wanted.has(folded(id)) || wanted.has(folded(name)),
      );
      return { status: 200, body: { query: { skills: body.skills, tags }, agents, total_count: agents.length } };
    },
    async discoverAgentsByMeaning({ query: { query, max_results } }) {
      const answer = await searched(query, max_results);
      const words = folded(query).match(WORD) ?? [];
      const agents = await scored(answer.results, ({ name, description }) => {
        const said = folded(`${name} ${description}`);
        return words.some((word) => said.includes(word));
      });
      return {
        status: 200,
        body: { query: answer.query, search_mode: answer.search_mode, agents, total_count: agents.length },
      };
    },
    async listAgents({ query: { enabled_only, allowed_groups, metadata_fields, ...query } }) {
      const groups = allowed_groups?.length === 0 ? undefined : allowed_groups;
      const filter = { ...query, groups, enabled: enabled_only || undefined };
      const { records: agents, page } = await list(filter, { metadata_fields, toRecord: LISTED_AGENTS });
      return { status: 200, body: { agents, ...page } };
    },
    async pullAgentCard({ params, query: { dry_run } }) {
      const stored = (await read(params.path)).entity;
      const { url, card } = await readCard(stored.url ?? '');
      const { fields } = readAgentFields(card, { path: stored.path, fetched: true });
      const changes = cardChanges(stored, fields);
      const has_changes = changes.length > 0;
      const applied = has_changes && !dry_run;
      if (applied) {
        const {
          name,
          description,
          version,
          provider,
          protocol_version,
          capabilities,
          skills,
          card: published,
        } = fields;
        const own = { name, description, url: fields.url ?? stored.url, version, provider, protocol_version };
        await registry.patch('a2a_agent', stored.path, stated({ ...own, capabilities, skills, card: published }));
      }
      const report = { agent_path: stored.path, dry_run, remote_card_url: url, changes, has_changes, applied };
      return { status: 200, body: { ...report, health_status: 'healthy', remote_card: card } };
    },
    toggleAgent: ({ params, query }) => toggle(params.path, query.enabled),
    checkAgentHealth: ({ params }) => health(params.path),
    rateAgent: ({ params, body }) => rate(params.path, body),
    getAgentRating: ({ params }) => rating(params.path),
    getAgent: get,
    putAgent: ({ params, body }) => rewritten(params.path, () => body),
    patchAgent: ({ params, body }) => rewritten(params.path, (agent) => patched(agent, body)),
    deleteAgent: ({ params }) => remove(params.path),
  };
  return { ...routes, ...agentBatches(routes, jobs) };

  async function rewritten(path: string, cardOf: (agent: A2aAgent) => Fields) {
    let found: readonly string[] = [];
    const make = (agent: A2aAgent) => {
      const card = withoutPlaceholders(cardOf(agent));
      const said = typeof card.path === 'string' ? { path: withSlash(card.path) } : {};
      const { fields, warnings } = readAgentFields(card, { path: agent.path });
      checkAddress(fields);
      found = warnings;
      return { ...fields, ...said };
    };
    const result = await registry.change('a2a_agent', path, make);
    return changed(result, found);
  }
}

async function noCards(): Promise<never> {
  throw new DowserError('NOT_IMPLEMENTED', 'This server does not read other servers.');
}
