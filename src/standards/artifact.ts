import type { A2aAgent, VirtualServer } from '../model/entity.ts';
import type { JsonObject } from '../model/json-object.ts';
import { skillMd } from '../model/skill-md.ts';
import { ARD_TYPES, type Discoverable } from './ard-types.ts';
import { clipText, webUrl } from './fitting-text.ts';
import { officialNameOf } from './official-name.ts';
import { A2A_VERSION } from './own-entries.ts';
import { toServerDetail, versionOf } from './server-json.ts';

export interface Artifact {
  readonly mediaType: string;
  readonly text: string;
}

/** The document of an ARD entry, in the format of its media type. */
export function toArtifact(entity: Discoverable, namespace: string): Artifact {
  const { mediaType } = ARD_TYPES[entity.type];
  switch (entity.type) {
    case 'mcp_server': {
      const { $schema: _, ...card } = toServerDetail(entity, officialNameOf(entity, namespace));
      return { mediaType, text: JSON.stringify(card) };
    }
    case 'virtual_server':
      return { mediaType, text: JSON.stringify(virtualCard(entity, namespace)) };
    case 'a2a_agent':
      return { mediaType, text: JSON.stringify(toAgentCard(entity)) };
    case 'skill':
      return { mediaType, text: skillMd(entity) };
  }
}

function virtualCard(server: VirtualServer, namespace: string) {
  const title = clipText(server.name, 100);
  const description = clipText(server.description, 100);
  return {
    name: officialNameOf(server, namespace),
    title,
    description: description === '' ? title : description,
    version: versionOf(server.version),
  };
}

/** The card of a registered agent, as A2A 1.0. Fields of its own card come first; missing ones are derived. */
function toAgentCard(agent: A2aAgent): JsonObject {
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
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
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
