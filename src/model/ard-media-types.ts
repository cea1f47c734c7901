/** What an entry of ARD is for: an entity type, another catalog, or another registry. */
export type ArdKind = 'mcp_server' | 'a2a_agent' | 'skill' | 'catalog' | 'registry';

/** The media types in use, by kind. ARD 0.91 names the first of each; the others are older or those of AI Catalog. */
const MEDIA_TYPES: Readonly<Record<ArdKind, readonly [string, ...string[]]>> = {
  mcp_server: ['application/mcp-server-card+json', 'application/mcp-server+json'],
  a2a_agent: ['application/a2a-agent-card+json', 'application/agent-card+json'],
  skill: ['application/ai-skill+md', 'application/ai-skill', 'application/agent-skills+md', 'text/markdown'],
  catalog: ['application/ai-catalog+json'],
  registry: ['application/ai-registry+json', 'application/ai-registry'],
};
const KINDS: ReadonlyMap<string, ArdKind> = new Map(
  (Object.keys(MEDIA_TYPES) as ArdKind[]).flatMap((kind) => MEDIA_TYPES[kind].map((type) => [type, kind] as const)),
);

/** Lowercase, without parameters. */
const plainType = (mediaType: string): string => mediaType.split(';')[0]!.trim().toLowerCase();

/** The kind of a media type. Undefined for one that ARD does not use. */
export const ardKindOf = (mediaType: string): ArdKind | undefined => KINDS.get(plainType(mediaType));

/** The media type that ARD 0.91 has for the same kind. Any other type stays as it is. */
export function foldMediaType(mediaType: string): string {
  const kind = ardKindOf(mediaType);
  return kind === undefined ? mediaType : MEDIA_TYPES[kind][0];
}
