const IN_NAME = 0.5;
const IN_DESCRIPTION = 0.3;
const STRENGTH_SHARE = 0.7;
const COVERAGE_SHARE = 0.3;

/**
 * How well a tool of a found server answers the query, from 0 to 1, by the registry's rule: each token adds 0.5 when it
 * is in the name, otherwise 0.3 when it is in the description; the sum, capped at 1, is seven tenths of the score, and
 * the share of tokens found the rest. Rounded to four places. 0 means that the tool is not shown.
 */
export function toolScore(
  tokens: readonly string[],
  tool: { readonly name: string; readonly description: string },
): number {
  const name = tool.name.toLowerCase();
  const description = tool.description.toLowerCase();
  let strength = 0;
  let matched = 0;
  for (const token of tokens) {
    const gain = name.includes(token) ? IN_NAME : description.includes(token) ? IN_DESCRIPTION : 0;
    strength += gain;
    if (gain > 0) matched++;
  }
  if (matched === 0) return 0;
  const score = Math.min(1, strength) * STRENGTH_SHARE + (matched / tokens.length) * COVERAGE_SHARE;
  return Math.min(1, Math.round(score * 10_000) / 10_000);
}
