import type { A2aAgent } from '../model/entity.ts';
import type { JsonObject } from '../model/json-object.ts';
import { webUrl } from './fitting-text.ts';

/** The A2A version of our cards. */
const A2A_VERSION = '1.0';
const TEXT = 'text/plain';

/** The card of a registered agent, as A2A 1.0. Fields of its own card come first; missing ones are derived. */
export function toAgentCard(agent: A2aAgent): JsonObject {
  const url = webUrl(agent.url);
  return {
    name: agent.name,
    description: agent.description,
    version: agent.version ?? '1.0.0',
    supportedInterfaces:
      url === undefined
        ? []
        : [{ url, protocolBinding: 'JSONRPC', protocolVersion: agent.protocol_version ?? A2A_VERSION }],
    capabilities: agent.capabilities,
    defaultInputModes: [TEXT],
    defaultOutputModes: [TEXT],
    skills: agent.skills.map(({ id, name, description, tags, examples }) => ({
      id: id === '' ? name : id,
      name,
      description,
      tags,
      ...(examples.length === 0 ? {} : { examples }),
    })),
    ...agent.card,
  };
}

/** Dowser's own card. */
export function dowserCard(baseUrl: string, version: string) {
  const a2a = { url: `${baseUrl}/a2a`, protocolBinding: 'JSONRPC' };
  return {
    name: 'Dowser',
    description:
      'Finds the MCP server, agent or skill for a task. Send the task in words; the answer lists the best matches first.',
    version,
    supportedInterfaces: [
      { ...a2a, protocolVersion: A2A_VERSION },
      { ...a2a, protocolVersion: '0.3' },
    ],
    capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false },
    defaultInputModes: [TEXT],
    defaultOutputModes: [TEXT, 'application/json'],
    skills: [
      {
        id: 'search',
        name: 'Search the registry',
        description:
          'Searches the public servers, agents and skills by keyword and by meaning. A #word in the text is a tag.',
        tags: ['search', 'discovery', 'registry', 'mcp', 'a2a'],
        examples: ['read a web page and summarize it', 'send an email #google'],
      },
    ],
  };
}
