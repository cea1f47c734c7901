import { type McpServerSpec, readMcpServer } from '../../src/sources/mcp/mcp-source.ts';
import { DEFAULT_LIMITS } from '../../src/sources/source.ts';

/** Limits for a busy machine that a test can wait for. */
export const quick = { env: {}, version: '0', limits: { ...DEFAULT_LIMITS, connectMs: 5000 } };
export const read = (spec: McpServerSpec, over: Partial<Parameters<typeof readMcpServer>[1]> = {}) =>
  readMcpServer(spec, { ...quick, signal: new AbortController().signal, subject: 'The server', ...over });
