import type { A2aAgent } from './entity.ts';
import { isJsonObject, type JsonObject } from './json/json-object.ts';

/** Clients of the MCP gateway registry require these fields, so an agent without one has the registry's default. */
const DEFAULT_PROTOCOL_VERSION = '1.0';
const DEFAULT_TRUST_LEVEL = 'unverified';

/** The card of an agent: the published card with the current fields of the registry. */
export interface AgentCard extends JsonObject {
  readonly name: string;
  readonly path: string;
  /** Empty if the agent has no address. */
  readonly url: string;
  /** Empty if the agent has no version. */
  readonly version: string;
  readonly protocol_version: string;
  readonly provider: { readonly organization: string; readonly url: string } | null;
  readonly capabilities: JsonObject;
  readonly skills: readonly JsonObject[];
  readonly trust_level: string;
}

/** Made once for each agent: a search shows many. */
const CARDS = new WeakMap<A2aAgent, AgentCard>();

export function agentCard(agent: A2aAgent): AgentCard {
  let made = CARDS.get(agent);
  if (made === undefined) {
    made = cardOf(agent);
    CARDS.set(agent, made);
  }
  return made;
}

function cardOf(agent: A2aAgent): AgentCard {
  const { type: _type, metadata: _metadata, card = {}, ...fields } = agent;
  return {
    ...card,
    ...fields,
    url: agent.url ?? '',
    version: agent.version ?? '',
    protocol_version: agent.protocol_version ?? DEFAULT_PROTOCOL_VERSION,
    provider: providerOf(card.provider, agent.provider),
    skills: skillsOf(card.skills) ?? agent.skills,
    trust_level: agent.trust_level ?? DEFAULT_TRUST_LEVEL,
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function providerOf(published: unknown, name: string | undefined): AgentCard['provider'] {
  if (isJsonObject(published)) {
    return { ...published, organization: textOf(published.organization), url: textOf(published.url) };
  }
  return name === undefined ? null : { organization: name, url: '' };
}

/** The published skills that have a name, with the fields that every skill must have. */
function skillsOf(published: unknown): readonly JsonObject[] | undefined {
  if (!Array.isArray(published)) return undefined;
  return published.filter(isJsonObject).flatMap((skill) => {
    const id = textOf(skill.id);
    const name = textOf(skill.name).trim() === '' ? id : textOf(skill.name);
    if (name === '') return [];
    const tags = Array.isArray(skill.tags) ? skill.tags : [];
    return [{ ...skill, id: id === '' ? name : id, name, description: textOf(skill.description), tags }];
  });
}
