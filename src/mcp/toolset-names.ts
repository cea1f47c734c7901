/** Separate from the table, so that a route or a command line needs no library to name them. */
export const TOOLSET_PATHS = {
  agent: '/mcp',
  registry: '/mcp/registry',
  memory: '/mcp/memory',
  recommend: '/mcp/recommend',
  call: '/mcp/call',
} as const;
/** The tools of one collection of documents. */
export const COLLECTION_PATH = '/mcp/docs/{collection}';
/** A saved filter, see `profiles/profile-file.ts`. */
export const PROFILE_PATH = '/mcp/p/{profile}';
export type ToolsetName = keyof typeof TOOLSET_PATHS;
