import type { VirtualServer } from '../model/entity.ts';
import { skillMd } from '../model/skill-md.ts';
import { toAgentCard } from './agent-card.ts';
import { ARD_TYPES, type Discoverable } from './ard-types.ts';
import { clipText } from './fitting-text.ts';
import { officialNameOf } from './official-name.ts';
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
