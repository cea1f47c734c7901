/** The share of a page that its list of tools may have. From the registry's documents. */
const TOOL_SHARE = 0.6;

/** The maximum number of tools to list from the found servers, besides the results of a page of this size. */
export function toolLimit(maxResults: number): number {
  return Math.max(3, Math.ceil(TOOL_SHARE * maxResults));
}
