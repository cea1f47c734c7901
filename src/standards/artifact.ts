import { skillMd } from '../model/skill-md.ts';
import { toAgentCard } from './agent-card.ts';
import { ARD_TYPES, type Discoverable } from './ard/ard-types.ts';
import { officialNameOf } from './official/official-name.ts';
import { toServerCard, toVirtualCard } from './official/server-card.ts';

export interface Artifact {
  readonly mediaType: string;
  readonly text: string;
}

/** The document of an ARD entry, in the format of its media type. */
export function toArtifact(entity: Discoverable, namespace: string): Artifact {
  const { mediaType } = ARD_TYPES[entity.type];
  switch (entity.type) {
    case 'mcp_server':
      return { mediaType, text: JSON.stringify(toServerCard(entity, officialNameOf(entity, namespace))) };
    case 'virtual_server':
      return { mediaType, text: JSON.stringify(toVirtualCard(entity, officialNameOf(entity, namespace))) };
    case 'a2a_agent':
      return { mediaType, text: JSON.stringify(toAgentCard(entity)) };
    case 'skill':
      return { mediaType, text: skillMd(entity) };
  }
}
