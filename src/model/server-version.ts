import type { McpServer } from './entity.ts';

/** The version of a server that names none, as in the MCP gateway registry. */
export const FIRST_VERSION = 'v1.0.0';

export const serverVersion = ({ version }: Pick<McpServer, 'version'>): string => version ?? FIRST_VERSION;
