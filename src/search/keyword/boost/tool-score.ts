const IN_NAME = 0.5;
const IN_DESCRIPTION = 0.3;
const STRENGTH_SHARE = 0.7;
const COVERAGE_SHARE = 0.3;

/**
 * The score of a tool of a server, from 0 to 1, by the registry's rule. Each token adds 0.5 if the name contains it, else
 * 0.3 if the description does. The score is 0.7 times this sum, capped at 1, plus 0.3 times the share of matching tokens,
 * rounded to four places. A tool with score 0 is not shown.
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
