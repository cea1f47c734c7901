/** The texts of an entity that the boost searches. */
export interface BoostedEntity {
  readonly path: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly metadataText: string;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
}

/** The registry's weights. A field adds its weight once if it contains any token. */
export const BOOST = { path: 5, name: 3, description: 2, tags: 1.5, metadata: 1, tool: 1 } as const;

/** The boost of the registry's older document: once for every token that matches, repeated or not, and nothing for metadata. */
export function textBoostEach(tokens: readonly string[], entity: BoostedEntity): number {
  let total = 0;
  for (const token of tokens) total += textBoost([token], { ...entity, metadataText: '' });
  return total;
}

/** Whether the text contains any token, ignoring case. */
function matchesAny(tokens: readonly string[], text: string): boolean {
  const lower = text.toLowerCase();
  return tokens.some((token) => lower.includes(token));
}

/**
 * The registry's text boost. Each matching field counts once, and so does each tool with a matching name or description,
 * without a limit. Pass tokens of `boostTokens`.
 */
export function textBoost(tokens: readonly string[], entity: BoostedEntity): number {
  const tools = entity.tools.filter((tool) => matchesAny(tokens, tool.name) || matchesAny(tokens, tool.description));
  return (
    (matchesAny(tokens, entity.path) ? BOOST.path : 0) +
    (matchesAny(tokens, entity.name) ? BOOST.name : 0) +
    (matchesAny(tokens, entity.description) ? BOOST.description : 0) +
    (entity.tags.some((tag) => matchesAny(tokens, tag)) ? BOOST.tags : 0) +
    (matchesAny(tokens, entity.metadataText) ? BOOST.metadata : 0) +
    tools.length * BOOST.tool
  );
}
