import { airDomain, airIdentifier } from './ard/air-identifier.ts';
import { AI_REGISTRY_TYPE, ARD_CONTEXT, type ArdEntry } from './ard/ard-entry.ts';
import { AGENT_CARD_TYPE, SERVER_CARD_TYPE } from './ard/ard-types.ts';
import { SERVER_CARD_SCHEMA } from './official/server-card.ts';
import { stableSlug } from './text/stable-slug.ts';

const MAX_REFERRAL_CHARS = 120;

/** The A2A versions that Dowser speaks, the preferred one first. */
export const A2A_VERSIONS = ['1.0', '0.3'] as const;

/** Dowser's own entries: its search as an ARD registry, an MCP server and an A2A agent. */
export function ownEntries(baseUrl: string, version: string): ArdEntry[] {
  const entry = (name: string, rest: Omit<ArdEntry, 'identifier'>): ArdEntry => ({
    '@context': ARD_CONTEXT,
    identifier: airIdentifier(airDomain(baseUrl), `dowser:${name}`),
    version,
    ...rest,
  });
  return [
    entry('registry', {
      displayName: 'Dowser registry',
      type: AI_REGISTRY_TYPE,
      url: `${baseUrl}/ard`,
      description: 'Searches the MCP servers, agents and skills that are registered here.',
      representativeQueries: ['find an MCP server that reads PDF files', 'which agent can book a flight'],
    }),
    entry('mcp', {
      displayName: 'Dowser',
      type: SERVER_CARD_TYPE,
      url: `${baseUrl}/mcp/server-card`,
      description: 'The same search, as tools of an MCP server.',
      representativeQueries: ['find a tool that sends email', 'which tool converts HTML into slides'],
    }),
    entry('agent', {
      displayName: 'Dowser',
      type: AGENT_CARD_TYPE,
      url: `${baseUrl}/.well-known/agent-card.json`,
      description: 'The same search, asked as an A2A agent.',
      representativeQueries: ['find a tool that sends email', 'what can convert HTML into slides'],
    }),
  ];
}

/** The entries of other ARD registries, to refer searches to. */
export function referralEntries(addresses: readonly string[]): readonly ArdEntry[] {
  return addresses.map((url) => ({
    identifier: airIdentifier(airDomain(url), `registry:${stableSlug(new URL(url).pathname, MAX_REFERRAL_CHARS)}`),
    displayName: new URL(url).host,
    type: AI_REGISTRY_TYPE,
    url,
  }));
}

/** The card of Dowser's own MCP server. A card has no tools. */
export function dowserServerCard(baseUrl: string, version: string, namespace: string) {
  return {
    $schema: SERVER_CARD_SCHEMA,
    name: `${namespace}/dowser-search`,
    title: 'Dowser',
    description: 'Finds the MCP server, tool, agent or skill for a task.',
    version,
    remotes: [{ type: 'streamable-http', url: `${baseUrl}/mcp` }],
  };
}

/** Dowser's own A2A agent card, of 1.0 and of 0.3 in one: each has required fields that the other does not have. */
export function dowserCard(baseUrl: string, version: string) {
  const url = `${baseUrl}/a2a`;
  return {
    name: 'Dowser',
    description:
      'Finds the MCP server, agent or skill for a task. Send the task in words; the answer lists the best matches first.',
    version,
    supportedInterfaces: A2A_VERSIONS.map((protocolVersion) => ({ url, protocolBinding: 'JSONRPC', protocolVersion })),
    url,
    preferredTransport: 'JSONRPC',
    protocolVersion: '0.3.0',
    supportsAuthenticatedExtendedCard: false,
    capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'application/json'],
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
