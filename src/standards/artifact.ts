import type { Skill, VirtualServer } from '../model/entity.ts';
import { toAgentCard } from './agent-card.ts';
import type { Discoverable } from './air-identifier.ts';
import { MEDIA_TYPES } from './ard-entry.ts';
import { clipText } from './fitting-text.ts';
import { officialName } from './official-name.ts';
import { toServerDetail, versionOf } from './server-json.ts';

export interface Artifact {
  readonly mediaType: string;
  readonly text: string;
}

/** The document that an ARD entry points to, in the format its media type names. */
export function toArtifact(entity: Discoverable, namespace: string): Artifact {
  const mediaType = MEDIA_TYPES[entity.type];
  switch (entity.type) {
    case 'mcp_server': {
      const { $schema: _, ...card } = toServerDetail(entity, officialName(entity.path, namespace));
      return { mediaType, text: JSON.stringify(card) };
    }
    case 'virtual_server':
      return { mediaType, text: JSON.stringify(virtualCard(entity, namespace)) };
    case 'a2a_agent':
      return { mediaType, text: JSON.stringify(toAgentCard(entity)) };
    case 'skill':
      return { mediaType, text: skillText(entity) };
  }
}

function virtualCard(server: VirtualServer, namespace: string) {
  const title = clipText(server.name, 100);
  const description = clipText(server.description, 100);
  return {
    name: officialName(server.path, namespace),
    title,
    description: description === '' ? title : description,
    version: versionOf(server.version),
  };
}

/** The SKILL.md. A body that came without its front matter gets one: readers know a skill by it. */
function skillText({ name, description, body }: Skill): string {
  if (/^---\r?\n/.test(body)) return body;
  // JSON text is YAML text, so nothing in a description can end the front matter early.
  return `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}\n---\n${body === '' ? '' : `\n${body}`}`;
}
