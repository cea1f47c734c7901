import type { A2aAgent } from '../model/entity.ts';
import { isJsonObject, type JsonObject } from '../model/json/json-object.ts';
import { webUrl } from './text/fitting-text.ts';

/** What an absent version means (A2A 1.0, section 3.6.2). */
const UNSTATED_VERSION = '0.3';

/**
 * The card of a registered agent, as A2A 1.0. Fields of its own card come first; missing ones are derived. Clients of 0.3
 * read the address, transport and version at the top, and only if the preferred interface is of 0.3.
 */
export function toAgentCard(agent: A2aAgent): JsonObject {
  const card = agent.card ?? {};
  const supportedInterfaces = interfacesOf(agent, card.supportedInterfaces);
  const [preferred] = supportedInterfaces;
  const older = preferred?.protocolVersion.startsWith('0.') === true ? preferred : undefined;
  return {
    name: agent.name,
    description: agent.description,
    version: agent.version ?? '1.0.0',
    capabilities: agent.capabilities,
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    ...card,
    supportedInterfaces,
    skills: skillsOf(agent, card.skills),
    ...(older === undefined
      ? {}
      : { url: older.url, preferredTransport: older.protocolBinding, protocolVersion: older.protocolVersion }),
  };
}

interface AgentInterface extends JsonObject {
  readonly url: string;
  readonly protocolBinding: string;
  readonly protocolVersion: string;
}

const textOf = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : undefined);

function interfacesOf(agent: A2aAgent, published: unknown): readonly AgentInterface[] {
  const listed = Array.isArray(published) ? published.filter(isJsonObject) : [{ url: webUrl(agent.url) }];
  return listed.flatMap((one) => {
    const url = textOf(one.url);
    if (url === undefined) return [];
    const protocolVersion = textOf(one.protocolVersion) ?? agent.protocol_version ?? UNSTATED_VERSION;
    return [{ ...one, url, protocolBinding: textOf(one.protocolBinding) ?? 'JSONRPC', protocolVersion }];
  });
}

/** The published skills with the fields that every skill must have, or those of the entity. */
function skillsOf({ skills }: A2aAgent, published: unknown): readonly JsonObject[] {
  const listed: readonly JsonObject[] = Array.isArray(published) ? published.filter(isJsonObject) : skills;
  return listed.flatMap((skill) => {
    const name = textOf(skill.name) ?? textOf(skill.id);
    if (name === undefined) return [];
    const { examples, ...rest } = skill;
    const required = {
      id: textOf(skill.id) ?? name,
      name,
      description: textOf(skill.description) ?? name,
      tags: Array.isArray(skill.tags) ? skill.tags : [],
    };
    return [{ ...rest, ...required, ...(Array.isArray(examples) && examples.length > 0 ? { examples } : {}) }];
  });
}
