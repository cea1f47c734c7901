/** Sets of tools, each at its own address: names that several products use mean one thing at one address. */
export const TOOLSET_PATHS = {
  registry: '/mcp',
  recommend: '/mcp/recommend',
} as const satisfies Readonly<Record<string, `/${string}`>>;
export type ToolsetName = keyof typeof TOOLSET_PATHS;
export const TOOLSET_NAMES = Object.keys(TOOLSET_PATHS) as readonly ToolsetName[];
